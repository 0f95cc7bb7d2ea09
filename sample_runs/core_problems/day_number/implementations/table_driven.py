STARTS = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)


def day_number(text):
    try:
        y, m, d = map(int, text.split("-"))
    except ValueError:
        return 0
    extra = int(not y % 4 and (y % 100 > 0 or not y % 400))
    if m < 1 or m > 12 or d < 1:
        return 0
    length = STARTS[m] - STARTS[m - 1] + (extra if m == 2 else 0)
    if d > length:
        return 0
    return STARTS[m - 1] + d + (extra if m > 2 else 0)
