def collatz_peak(number, limit):
    if number <= 0:
        return (0, 0)
    if number == 1 or limit == 0:
        return (0, number)
    half, odd = divmod(number, 2)
    count, top = collatz_peak(number * 3 + 1 if odd else half, limit - 1)
    return (count + 1, top if top > number else number)
