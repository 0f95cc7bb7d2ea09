from fractions import Fraction


def curve(x, weights):
    total = Fraction(0)
    for weight in weights:
        total = total * x + weight
    return total


low, high, pieces, *weights = map(int, input().split())
width = Fraction(high - low, pieces)
area = Fraction(0)
tops = 0
numerator = 0
for piece in range(pieces):
    left = low + piece * width
    middle = curve(left + width / 2, weights)
    ends = curve(left, weights) + curve(left + width, weights)
    area += width * (ends + 4 * middle) / 6
    tops += middle * 2 > ends
    numerator = area.numerator
print(area, f"{float(area):.4f}", tops)
