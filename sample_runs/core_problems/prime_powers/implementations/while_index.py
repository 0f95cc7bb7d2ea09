def prime_powers(number):
    found = []
    divisor = 2
    while divisor * divisor <= number:
        exponent = 0
        while number % divisor == 0:
            number //= divisor
            exponent += 1
        if exponent:
            found.append((divisor, exponent))
        divisor += 1 if divisor == 2 else 2
    if number > 1:
        found.append((number, 1))
    return found
