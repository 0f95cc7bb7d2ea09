year = int(input())
day = 1
count = 0
for y in range(1990, year + 1):
    for month in range(1, 13):
        if (day + 12) % 7 == 5:
            count += 1
        length = 31
        if month == 2:
            length = 28
            if y % 4 == 0:
                length = 29
        elif month == 4 or month == 6 or month == 9 or month == 11:
            length = 30
        day = (day + length) % 7
print(count, day)
