from itertools import accumulate


def path_sum(grid):
    wall = 10**9
    if not grid:
        return -1
    costs = [[wall if cell < 0 else cell for cell in line] for line in grid]
    width = len(costs[0])
    above = [0] + [wall] * (width - 1)
    for line in costs:
        steps = list(zip(above, line))
        reach = accumulate(steps, lambda left, step: min(left, step[0]) + step[1], initial=wall)
        above = [min(total, wall) for total in list(reach)[1:]]
    return above[-1] if above[-1] < wall else -1
