def digit_steps(number):
    met = {number: 0}
    happy = number == 1
    while not happy:
        rest, squares = number, 0
        while rest > 0:
            rest, last = divmod(rest, 10)
            squares += last * last
        if squares in met:
            return len(met), False
        met[squares] = len(met)
        number = squares
        happy = squares == 1
    return len(met), True
