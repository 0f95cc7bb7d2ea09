n = int(input())
count = 0
product = 0
for a in range(1, n):
    if 3 * a > n:
        break
    for b in range(a, n):
        c = n - a - b
        if c < b:
            break
        count += 1
        if a * b * c > product:
            product = a * b * c
print(count, product)
