size, *drops = map(int, input().split())
pile = [[0] * size for _ in range(size)]
topples = 0
lost = 0
longest = 0
for drop in drops:
    pile[drop // size][drop % size] += 1
    unstable = [(drop // size, drop % size)]
    chain = 0
    while unstable:
        row, column = unstable.pop()
        if pile[row][column] < 4:
            continue
        pile[row][column] -= 4
        chain += 1
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < size and 0 <= c < size:
                pile[r][c] += 1
                unstable.append((r, c))
            else:
                lost += 1
        unstable.append((row, column))
    topples += chain
    longest = max(longest, chain)
print(topples, lost, longest, "/".join("".join(map(str, row)) for row in pile))
