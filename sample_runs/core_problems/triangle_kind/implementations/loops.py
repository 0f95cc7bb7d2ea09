def triangle_kind(a, b, c):
    sides = [a, b, c]
    for _ in range(2):
        for i in range(2):
            if sides[i] > sides[i + 1]:
                sides[i], sides[i + 1] = sides[i + 1], sides[i]
    if sides[0] <= 0 or sides[0] + sides[1] <= sides[2]:
        return "none"
    if sides[0] == sides[2]:
        return "equilateral"
    if sides[0] == sides[1] or sides[1] == sides[2]:
        name = "isosceles"
    else:
        name = "scalene"
    excess = sides[2] ** 2 - sides[0] ** 2 - sides[1] ** 2
    if excess == 0:
        name += "-right"
    elif excess > 0:
        name += "-obtuse"
    return name
