friends = int(input())
left = 48
eaten = 0
for friend in range(friends, 0, -1):
    slices = left // friend
    if slices > 7 and friend % 2 == 0:
        slices -= 1
    left -= slices
    eaten = eaten * 10 + slices
print(eaten, left)
