start = int(input())
warmth = start * 10
heating = 0
switches = 0
for minute in range(90):
    if heating == 0 and warmth < 185:
        heating = 1
        switches += 1
    if heating == 1 and warmth > 215:
        heating = 0
        switches += 1
    if heating:
        warmth += 4
    else:
        warmth -= 1 + minute % 2
print(warmth, switches)
