size, *cells = map(int, input().split())
start, goal = (cells[0], cells[1]), (cells[2], cells[3])
jumps = [(dx, dy) for dx in (-2, -1, 1, 2) for dy in (-2, -1, 1, 2) if abs(dx) != abs(dy)]
seen = {start}
edge = [start]
depth = 0
known = 1
found = -1
while edge:
    if goal in edge:
        found = depth
    further = []
    for x, y in edge:
        for dx, dy in jumps:
            spot = (x + dx, y + dy)
            if spot not in seen and min(spot) >= 0 and max(spot) < size:
                seen.add(spot)
                further.append(spot)
    edge = further
    known += len(edge)
    depth += 1
print(found, depth - 1, size * size - known)
