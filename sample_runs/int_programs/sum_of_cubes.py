n = int(input())
ways = 0
a = 1
while a * a * a < n:
    b = a
    while a * a * a + b * b * b < n:
        b += 1
    if a * a * a + b * b * b == n:
        ways += 1
    a += 1
print(ways)
