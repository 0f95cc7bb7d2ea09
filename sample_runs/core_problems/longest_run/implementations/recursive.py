def longest_run(values):
    def walk(rest, current, count):
        if not rest:
            return current, count
        head, *tail = rest
        if head == current:
            return walk(tail, current, count + 1)
        later = walk(tail, head, 1)
        return later if later[1] > count else (current, count)

    return walk(values, None, 0)
