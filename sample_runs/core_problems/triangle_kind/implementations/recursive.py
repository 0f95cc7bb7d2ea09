def triangle_kind(a, b, c):
    if a > b:
        return triangle_kind(b, a, c)
    if b > c:
        return triangle_kind(a, c, b)
    if a < 1:
        return "none"
    if c >= a + b:
        return "none"
    kind = "scalene"
    if a == b or c == b:
        kind = "isosceles" if a != c else "equilateral"
    square = a * a + b * b
    return kind + ("-obtuse" if square < c * c else "-right" if square == c * c else "")
