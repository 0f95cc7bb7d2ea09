a, b, c, low, high = map(int, input().split())
digits = 5
low, high = low * 10**digits, high * 10**digits
unit = 10**digits


def sign(x):
    value = a * x**3 + b * x * unit**2 + c * unit**3
    return (value > 0) - (value < 0)


rising = sign(high) > 0
halved = 0
moves = ""
while high - low > 1:
    middle = (low + high) // 2
    if (sign(middle) > 0) == rising:
        high = middle
        moves += "L"
    else:
        low = middle
        moves += "R"
    halved += 1
print(f"{low / unit:.{digits}f} {halved} {moves}")
