values = [int(word) for word in input().split()]
gap = 1
while 3 * gap + 1 < len(values):
    gap = 3 * gap + 1
shifts = 0
passes = []
while gap:
    before = shifts
    for place in range(gap, len(values)):
        value = values[place]
        hole = place
        while hole >= gap and values[hole - gap] > value:
            values[hole] = values[hole - gap]
            hole -= gap
            shifts += 1
        values[hole] = value
    passes.append(shifts - before)
    gap //= 3
print(*values)
print(shifts, passes)
