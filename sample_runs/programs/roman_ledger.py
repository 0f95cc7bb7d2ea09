signs = "M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"
values = 1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1


def spell(number):
    spelled = ""
    for sign, value in zip(signs, values, strict=True):
        times, number = divmod(number, value)
        spelled += sign * times
    return spelled


balance = 0
longest = ""
for number in map(int, input().split()):
    balance += number
    text = spell(abs(balance))
    if len(text) > len(longest):
        longest = text
print(f"{longest.lower()} ({len(longest)})")
print(("-" if balance < 0 else "") + spell(abs(balance)))
