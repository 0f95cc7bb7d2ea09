pages = int(input())
day = 0
pace = 12
while pages > 0:
    day += 1
    if day % 7 == 0:
        continue
    pages -= pace
    if pace < 30 and day % 2 == 0:
        pace += 3
if pages < 0:
    pages = 0
print(day, pace)
