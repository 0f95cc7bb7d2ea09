height = int(input())
speed = 0
tenths = 0
while height > 0:
    speed += 98
    speed -= speed * speed // 90000
    height -= speed // 100
    tenths += 1
    if tenths >= 300:
        break
print(tenths, speed)
