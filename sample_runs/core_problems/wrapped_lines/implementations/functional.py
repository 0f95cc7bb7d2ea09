from functools import reduce


def wrapped_lines(text, width):
    def place(done, token):
        *earlier, final = done
        longer = f"{final} {token}" if final else token
        fits = len(longer) <= width or not final
        return [*earlier, longer] if fits else [*done, token]

    filled = reduce(place, text.split(), [""])
    return [one for one in filled if one]
