size = int(input())
corner = 1
total = 1
for side in range(3, size + 1, 2):
    for _ in range(4):
        corner += side - 1
        total += corner
print(total)
