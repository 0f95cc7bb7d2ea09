d = int(input())
y = 1
x = 0
while True:
    value = d * y * y + 1
    low = 0
    high = value
    while low < high:
        middle = (low + high + 1) // 2
        if middle * middle <= value:
            low = middle
        else:
            high = middle - 1
    if low * low == value:
        x = low
        break
    y += 1
print(x, y)
