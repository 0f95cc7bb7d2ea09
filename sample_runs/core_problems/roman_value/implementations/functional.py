from functools import reduce

SIGNS = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000)))


def roman_value(text):
    numbers = list(map(SIGNS.get, text))
    if None in numbers:
        return -1

    def fold(pair, number):
        sum_so_far, largest = pair
        if number < largest:
            return sum_so_far - number, largest
        return sum_so_far + number, number

    return reduce(fold, numbers[::-1], (0, 0))[0]
