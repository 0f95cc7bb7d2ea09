from itertools import accumulate


def trapped_water(heights):
    rising = accumulate(heights, max)
    falling = list(accumulate(heights[::-1], max))[::-1]
    filled = (min(pair) for pair in zip(rising, falling))
    return sum(level - bar for level, bar in zip(filled, heights) if level > bar)
