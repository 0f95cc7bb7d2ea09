from bisect import bisect_left

values = list(map(int, input().split()))
tails = []
trail = []
swaps = 0
for value in values:
    spot = bisect_left(tails, value)
    if spot == len(tails):
        tails.append(value)
    elif tails[spot] != value:
        tails[spot] = value
        swaps += 1
    trail.append(spot)
length = len(tails)
picked = []
for value, spot in reversed(list(zip(values, trail, strict=True))):
    if spot == length - 1:
        picked.append(value)
        length -= 1
print(len(tails), swaps)
print(*picked[::-1])
