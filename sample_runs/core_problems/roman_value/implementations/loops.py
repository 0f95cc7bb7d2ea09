def roman_value(text):
    worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = 0
    previous = 0
    for sign in reversed(text):
        if sign not in worth:
            return -1
        value = worth[sign]
        if value < previous:
            total -= value
        else:
            total += value
            previous = value
    return total
