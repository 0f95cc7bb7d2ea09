corners = []
for pair in input().split(";"):
    x, y = pair.split(",")
    corners.append((int(x), int(y)))
doubled = 0
rim = 0
left = right = 0
before = corners[-1]
for corner in corners:
    cross = before[0] * corner[1] - corner[0] * before[1]
    doubled += cross
    if cross > 0:
        left += 1
    elif cross < 0:
        right += 1
    rim += abs(corner[0] - before[0]) + abs(corner[1] - before[1])
    before = corner
sign = "counterclockwise" if doubled > 0 else "clockwise"
print(f"{abs(doubled) / 2:.1f} {rim} {left}:{right} {sign}")
