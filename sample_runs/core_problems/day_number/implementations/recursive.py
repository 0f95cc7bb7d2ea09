import re


def before(year, month):
    if month <= 1:
        return 0
    previous = month - 1
    if previous == 2:
        size = 28 + (year % 400 == 0 or (year % 100 != 0 and year % 4 == 0))
    else:
        size = 30 + (previous + previous // 8) % 2
    return size + before(year, previous)


def day_number(text):
    found = re.fullmatch(r"(\d+)-(\d+)-(\d+)", text)
    if found is None:
        return 0
    year, month, day = (int(group) for group in found.groups())
    if not 0 < month < 13 or day == 0:
        return 0
    number = before(year, month) + day
    return number if number <= before(year, month + 1) else 0
