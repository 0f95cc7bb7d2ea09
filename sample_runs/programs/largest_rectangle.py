bars = [*map(int, input().split()), 0]
stack = []
best = 0
where = 0
for right, bar in enumerate(bars):
    left = right
    while stack and stack[-1][1] >= bar:
        left, height = stack.pop()
        if height * (right - left) > best:
            best = height * (right - left)
            where = left
    stack.append((left, bar))
print("area", best, "from", where)
