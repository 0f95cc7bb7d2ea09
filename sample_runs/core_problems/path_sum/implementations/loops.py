def path_sum(grid):
    if not grid:
        return -1
    best = []
    for y, line in enumerate(grid):
        best.append([])
        for x, cell in enumerate(line):
            options = []
            if y > 0 and best[y - 1][x] >= 0:
                options.append(best[y - 1][x])
            if x > 0 and best[y][x - 1] >= 0:
                options.append(best[y][x - 1])
            if x == 0 and y == 0:
                options.append(0)
            if cell < 0 or not options:
                best[y].append(-1)
            else:
                best[y].append(cell + min(options))
    return best[-1][-1]
