def collatz_peak(number, limit):
    path = [number] if number >= 1 else []
    while path and path[-1] != 1 and len(path) <= limit:
        current = path[-1]
        if current & 1:
            path.append(current + (current << 1) + 1)
        else:
            path.append(current >> 1)
    if not path:
        return (0,) * 2
    return len(path) - 1, max(path)
