n = int(input())
total = 0
for a in range(-n, n + 1):
    for b in range(-3, 4):
        if b == 0:
            continue
        total += (a // b) * 10 + a % b
print(total)
