def prime_powers(number):
    counts = {}
    rest = number
    for candidate in range(2, number + 1):
        if rest < candidate:
            break
        for _ in range(rest.bit_length()):
            if rest % candidate:
                break
            counts[candidate] = counts.get(candidate, 0) + 1
            rest //= candidate
    return list(counts.items())
