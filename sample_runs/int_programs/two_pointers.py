target = int(input())
low = 1
high = 60
pairs = 0
while low < high:
    value = low * low % 97 + high
    if value == target or low * high == target:
        pairs += 1
    if low * high < target:
        low += 1
    else:
        high -= 1
print(pairs, low, high)
