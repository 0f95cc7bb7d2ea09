distance = int(input())
left = 0
right = distance
minutes = 0
stopped = 0
while left < right:
    minutes += 1
    if minutes % 30 < 26:
        left += 2
    else:
        stopped += 1
    if minutes % 45 != 0:
        right -= 1
print(minutes, left, stopped)
