n = int(input())
last = 2
gap = 0
for k in range(3, n, 2):
    composite = 0
    d = 3
    while d * d <= k:
        if k % d == 0:
            composite = d
            break
        d += 2
    if not composite:
        if k - last > gap:
            gap = k - last
        last = k
print(last, gap)
