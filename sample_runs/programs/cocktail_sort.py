items = list(input().strip())
low, high = 0, len(items) - 1
swaps = 0
passes = 0
while low < high:
    edge = low
    for i in range(low, high):
        if items[i] > items[i + 1]:
            items[i], items[i + 1] = items[i + 1], items[i]
            swaps += 1
            edge = i
    high = edge
    for i in range(high, low, -1):
        if items[i - 1] > items[i]:
            items[i - 1], items[i] = items[i], items[i - 1]
            swaps += 1
            edge = i
    low = edge if edge > low else high
    passes += 1
print("".join(items), swaps, passes)
