height = int(input())
share = int(input())
distance = height
bounces = 0
while height > 10:
    height = height * share // 10
    distance += 2 * height
    bounces += 1
    if bounces == 25:
        break
print(distance, bounces)
