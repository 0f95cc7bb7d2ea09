r = int(input())
inside = 0
border = 0
for x in range(-r, r + 1):
    for y in range(-r, r + 1):
        d = x * x + y * y
        if d < r * r:
            inside += 1
        elif d == r * r:
            border += 1
print(inside, border)
