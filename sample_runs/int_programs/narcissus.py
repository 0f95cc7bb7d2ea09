limit = int(input())
count = 0
last = 0
for n in range(100, limit):
    digits = n
    total = 0
    for _ in range(3):
        d = digits % 10
        total += d * d * d
        digits //= 10
    if total != n:
        continue
    count += 1
    last = n
print(count, last)
