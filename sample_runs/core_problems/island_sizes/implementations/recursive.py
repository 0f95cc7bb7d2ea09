def island_sizes(rows):
    land = [list(row) for row in rows]

    def sink(y, x):
        if y < 0 or x < 0 or y >= len(land) or x >= len(land[y]):
            return 0
        if land[y][x] != "#":
            return 0
        land[y][x] = "."
        return 1 + sink(y - 1, x) + sink(y + 1, x) + sink(y, x - 1) + sink(y, x + 1)

    sizes = []
    for y in range(len(land)):
        for x in range(len(land[y])):
            size = sink(y, x)
            if size:
                sizes.append(size)
    return sorted(sizes, reverse=True)
