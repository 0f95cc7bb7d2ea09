def merge_ranges(ranges):
    def insert(known, span):
        a, b = span
        if a > b:
            return known
        for place, (c, d) in enumerate(known):
            if a <= d and c <= b:
                others = known[:place] + known[place + 1 :]
                return insert(others, (min(a, c), max(b, d)))
        return sorted(known + [span])

    if not ranges:
        return []
    *front, final = ranges
    return insert(merge_ranges(front), final)
