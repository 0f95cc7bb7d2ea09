top = int(input())
bottom = int(input())
terms = 0
last = 0
while top > 0 and terms < 8:
    unit = (bottom + top - 1) // top
    top, bottom = top * unit - bottom, bottom * unit
    a, b = top, bottom
    while b:
        a, b = b, a % b
    if a > 0:
        top //= a
        bottom //= a
    terms += 1
    last = unit
print(terms, last)
