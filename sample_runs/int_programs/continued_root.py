n = int(input())
root = 0
while (root + 1) * (root + 1) <= n:
    root += 1
m = 0
d = 1
a = root
period = 0
total = 0
while a != 2 * root:
    m = d * a - m
    d = (n - m * m) // d
    a = (root + m) // d
    period += 1
    total += a
print(period, total)
