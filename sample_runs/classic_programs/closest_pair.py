def squared(one, other):
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


numbers = list(map(int, input().split()))
points = sorted(zip(numbers[::2], numbers[1::2], strict=True))
best = squared(points[0], points[1]) + 1
pair = (0, 0)
compared = 0
start = 0
for i, point in enumerate(points):
    while (point[0] - points[start][0]) ** 2 >= best and start < i:
        start += 1
    for j in range(start, i):
        compared += 1
        distance = squared(points[j], point)
        if distance < best:
            best = distance
            pair = (j, i)
print(best, *points[pair[0]], *points[pair[1]], compared)
