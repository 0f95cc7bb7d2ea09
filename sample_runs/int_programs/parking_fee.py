minutes = int(input())
fee = 0
if minutes <= 30:
    fee = 0
elif minutes <= 120:
    fee = 200
elif minutes <= 480:
    hours = (minutes - 120 + 59) // 60
    fee = 200 + hours * 150
else:
    fee = 1200
if 0 < fee < 1000 and minutes % 2:
    fee += 50
print(fee)
