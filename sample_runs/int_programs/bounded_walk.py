n = int(input())
place = 0
left = 0
right = 0
for step in range(n):
    push = (step * step + 3 * step) % 7 - 3
    place += push
    if place < left:
        left = place
    elif place > right:
        right = place
print(place, left, right)
