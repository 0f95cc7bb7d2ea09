def prime_powers(number, least=2):
    if number < 2:
        return []
    p = least
    while number % p:
        p = p + 1 if p * p < number else number
    later = prime_powers(number // p, p)
    if later and later[0][0] == p:
        return [(p, later[0][1] + 1)] + later[1:]
    return [(p, 1)] + later
