digits = input().strip()
if len(digits) % 2:
    digits = "0" + digits
root = 0
rest = 0
work = 0
for at in range(0, len(digits), 2):
    rest = rest * 100 + int(digits[at : at + 2])
    digit = 0
    while (20 * root + digit + 1) * (digit + 1) <= rest:
        digit += 1
        work += 1
    rest -= (20 * root + digit) * digit
    root = 10 * root + digit
assert root * root + rest == int(digits)
print(root, rest, work)
