def inside(corners, px, py):
    odd = False
    x0, y0 = corners[-1]
    for x1, y1 in corners:
        if (y0 > py) != (y1 > py):
            lean = (x1 - x0) * (py - y0) - (px - x0) * (y1 - y0)
            if (lean > 0) == (y1 > y0):
                odd = not odd
        x0, y0 = x1, y1
    return odd


shape = [tuple(map(int, word.split(","))) for word in input().split()]
width, height = map(int, input().split())
hits = 0
widest = 0
line = ""
for row in range(height):
    line = "".join("#" if inside(shape, column, row) else "." for column in range(width))
    count = line.count("#")
    hits += count * (row + 1)
    widest = max(widest, count)
print(hits, widest, line)
