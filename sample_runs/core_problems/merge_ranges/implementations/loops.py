def merge_ranges(ranges):
    merged = []
    for start, end in sorted(ranges):
        if end < start:
            continue
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
