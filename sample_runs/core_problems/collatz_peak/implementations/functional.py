from itertools import islice


def hailstones(n):
    while n > 0:
        yield n
        n = {0: n // 2, 1: 3 * n + 1}[n % 2] if n != 1 else 0


def collatz_peak(number, limit):
    met = list(islice(hailstones(number), limit + 1))
    return (len(met) - 1, max(met)) if met else (0, 0)
