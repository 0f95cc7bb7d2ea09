n = int(input())
ways = 0
largest = 0
for a in range(2, n // 2 + 1):
    b = n - a
    prime = 1
    for d in range(2, 9):
        if a == d or b == d:
            continue
        if (a % d) * (b % d) == 0:
            prime = 0
            break
    if prime == 1:
        ways += 1
        largest = a
print(ways, largest)
