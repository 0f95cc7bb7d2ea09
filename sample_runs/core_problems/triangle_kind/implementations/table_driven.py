NAMES = {1: "equilateral", 2: "isosceles", 3: "scalene"}
ANGLES = (("-right", lambda d: d == 0), ("-obtuse", lambda d: d < 0), ("", lambda d: d > 0))


def triangle_kind(a, b, c):
    largest = max(a, b, c)
    if min(a, b, c) < 1 or a + b + c <= 2 * largest:
        return "none"
    different = len({a, b, c})
    delta = a * a + b * b + c * c - 2 * largest * largest
    for suffix, fits in ANGLES:
        if fits(delta):
            return NAMES[different] + suffix
    return NAMES[different]
