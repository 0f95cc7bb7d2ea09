from itertools import groupby


def longest_run(values):
    runs = [(key, sum(1 for _ in group)) for key, group in groupby(values)]
    return max(runs, key=lambda run: run[1]) if runs else (None, 0)
