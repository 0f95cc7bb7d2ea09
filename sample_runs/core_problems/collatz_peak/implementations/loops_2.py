def collatz_peak(number, limit):
    if number < 1:
        return 0, 0
    peak = number
    steps = 0
    while number != 1 and steps < limit:
        if number % 2 == 1:
            number = 3 * number + 1
        else:
            number = number // 2
        peak = max(peak, number)
        steps += 1
    return steps, peak
