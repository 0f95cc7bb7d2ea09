n = int(input())
parts = 0
smallest = 0
while n > 0:
    a, b = 1, 2
    while b <= n:
        a, b = b, a + b
    n -= a
    smallest = a
    parts += 1
print(parts, smallest)
