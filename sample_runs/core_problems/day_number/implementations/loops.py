def day_number(text):
    parts = text.split("-")
    if len(parts) != 3:
        return 0
    for part in parts:
        if not part.isdigit():
            return 0
    year, month, day = int(parts[0]), int(parts[1]), int(parts[2])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    total = 0
    for m in range(1, 13):
        days = 31
        if m in (4, 6, 9, 11):
            days = 30
        elif m == 2:
            days = 29 if leap else 28
        if m == month:
            return total + day if 1 <= day <= days else 0
        total += days
    return 0
