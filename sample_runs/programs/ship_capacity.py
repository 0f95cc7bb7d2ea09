def trips(loads, limit):
    count, room = 0, 0
    for load in loads:
        if load > room:
            count += 1
            room = limit
        room -= load
    return count


days, *loads = map(int, input().split())
low, high = max(loads), sum(loads)
needed = 0
tries = 0
while low < high:
    middle = (low + high) // 2
    needed = trips(loads, middle)
    if needed <= days:
        high = middle
    else:
        low = middle + 1
    tries += 1
print(low, trips(loads, low), trips(loads, low - 1), tries)
