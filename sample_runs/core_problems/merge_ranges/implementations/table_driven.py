def merge_ranges(ranges):
    changes = {}
    for low, high in ranges:
        if low <= high:
            opened, closed = changes.get(low, (0, 0))
            changes[low] = (opened + 1, closed)
            opened, closed = changes.get(high, (0, 0))
            changes[high] = (opened, closed + 1)
    answer, depth, begin = [], 0, None
    for point in sorted(changes):
        opened, closed = changes[point]
        if depth == 0:
            begin = point
        depth += opened - closed
        if depth == 0:
            answer.append((begin, point))
    return answer
