import sys


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def chain(points):
    kept = []
    dropped = 0
    for point in points:
        while len(kept) > 1 and turn(kept[-2], kept[-1], point) <= 0:
            kept.pop()
            dropped += 1
        kept.append(point)
    return kept[:-1], dropped


flat = list(map(int, sys.stdin.read().split()))
cloud = sorted(zip(flat[::2], flat[1::2], strict=True))
lower, below = chain(cloud)
upper, above = chain(cloud[::-1])
hull = lower + upper
area = sum(x * hull[i - 1][1] - y * hull[i - 1][0] for i, (x, y) in enumerate(hull))
print(len(hull), below, above, abs(area))
print(hull[0], hull[len(lower)])
