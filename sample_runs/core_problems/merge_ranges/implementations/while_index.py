def merge_ranges(ranges):
    todo = [list(pair) for pair in ranges if pair[0] <= pair[1]]
    todo.sort()
    i = 0
    while i + 1 < len(todo):
        left, right = todo[i], todo[i + 1]
        if right[0] > left[1]:
            i += 1
        else:
            left[1] = max(left[1], right[1])
            del todo[i + 1]
    return [tuple(pair) for pair in todo]
