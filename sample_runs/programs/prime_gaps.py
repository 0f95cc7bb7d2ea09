low, high = map(int, input().split())
composite = bytearray(high + 1)
last = 0
widest = (0, 0)
twins = 0
seen = 0
for n in range(2, high + 1):
    if composite[n]:
        continue
    composite[n * n :: n] = b"\1" * len(composite[n * n :: n])
    if n < low:
        continue
    if last:
        gap = n - last
        twins += gap == 2
        if gap > widest[0]:
            widest = (gap, last)
    last = n
    seen += 1
gap, last = widest
print(f"{seen} primes, {twins} twins, gap {gap} after {last}")
