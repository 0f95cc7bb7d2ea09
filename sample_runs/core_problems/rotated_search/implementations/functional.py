from bisect import bisect_left


def rotated_search(values, wanted):
    drops = [at for at, (a, b) in enumerate(zip(values, values[1:]), 1) if b < a]
    pivot = drops[0] if drops else 0
    for base, piece in ((0, values[:pivot]), (pivot, values[pivot:])):
        spot = bisect_left(piece, wanted)
        if spot < len(piece) and piece[spot] == wanted:
            return base + spot
    return -1
