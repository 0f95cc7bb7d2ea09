goal, *weights = map(int, input().split())
total = 0
mask = 0
hits = []
heaviest = 0
for tick in range(1, 1 << len(weights)):
    bit = tick & -tick
    mask ^= bit
    weight = weights[bit.bit_length() - 1]
    total += weight if mask & bit else -weight
    if total == goal:
        hits.append(mask)
    elif total < goal:
        heaviest = max(heaviest, total)
print(len(hits), heaviest)
print(" ".join(format(mask, "b") for mask in sorted(hits, key=lambda m: (m.bit_count(), m))))
