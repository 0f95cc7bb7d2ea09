n = int(input())
x = y = 2
g = 1
turns = 0
while g == 1 and turns < 100:
    x = (x * x + 1) % n
    y = (y * y + 1) % n
    y = (y * y + 1) % n
    a = x - y
    if a < 0:
        a = -a
    b = n
    while b > 0:
        a, b = b, a % b
    g = a
    turns += 1
print(g, turns)
