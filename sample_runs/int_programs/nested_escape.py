n = int(input())
hits = 0
for i in range(1, n):
    for j in range(i, n):
        if i * j > 40:
            break
        for k in range(j, n):
            if i + j <= k:
                break
            if (i + j + k) % 3 != 0:
                continue
            hits += 1
print(hits)
