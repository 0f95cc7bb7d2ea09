def island_sizes(rows):
    todo = {(a, b) for a, row in enumerate(rows) for b, sign in enumerate(row) if sign == "#"}
    result = []
    while todo:
        border, area = [min(todo)], 0
        todo.discard(border[0])
        while border:
            a, b = border.pop()
            area += 1
            for near in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
                if near in todo:
                    todo.remove(near)
                    border.append(near)
        result.append(-area)
    return [-area for area in sorted(result)]
