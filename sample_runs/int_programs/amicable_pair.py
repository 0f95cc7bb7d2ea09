low = int(input())
high = int(input())
first = 0
second = 0
for n in range(low, high):
    total = 1
    for d in range(2, n):
        if d * d > n:
            break
        if n % d == 0:
            total += d
            if d * d != n:
                total += n // d
    if total <= n:
        continue
    back = 1
    for d in range(2, total):
        if d * d > total:
            break
        if total % d == 0:
            back += d + total // d
    if back == n:
        first, second = n, total
        break
print(first, second)
