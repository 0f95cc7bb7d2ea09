people = int(input())
skip = int(input())
safe = 0
moves = 0
for size in range(2, people + 1):
    safe = (safe + skip) % size
    if safe < skip:
        moves += 1
print(safe + 1, moves)
