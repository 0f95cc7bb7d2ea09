def prime_powers(number):
    smallest = list(range(max(number, 1) + 1))
    for base in range(2, len(smallest)):
        if smallest[base] == base:
            for multiple in range(base * base, len(smallest), base):
                smallest[multiple] = min(smallest[multiple], base)
    powers = []
    while number > 1:
        factor = smallest[number]
        if powers and powers[-1][0] == factor:
            powers[-1] = (factor, powers[-1][1] + 1)
        else:
            powers += [(factor, 1)]
        number //= factor
    return powers
