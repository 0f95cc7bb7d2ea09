def collatz_peak(number, limit):
    if number < 1:
        return 0, 0
    peak = number
    steps = 0
    for _ in range(limit):
        if number == 1:
            break
        if number % 2 == 0:
            number = number // 2
        else:
            number = 3 * number + 1
        steps += 1
        if number > peak:
            peak = number
    return steps, peak
