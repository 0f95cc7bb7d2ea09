start = int(input())
n = start
if n % 2 == 0:
    n += 1
answer = 0
while answer == 0:
    total = 0
    d = 1
    while d * d <= n:
        if n % d == 0:
            total += d
            if d * d < n and d > 1:
                total += n // d
        d += 2
    if total > n:
        answer = n
    n += 2
print(answer)
