def rotated_search(values, wanted):
    shift = 0
    for i in range(1, len(values)):
        if values[i] < values[i - 1]:
            shift = i
            break
    left, right = 0, len(values)
    while left < right:
        half = (left + right) >> 1
        if values[(half + shift) % len(values)] < wanted:
            left = half + 1
        else:
            right = half
    place = (left + shift) % len(values) if left < len(values) else -1
    return place if place >= 0 and values[place] == wanted else -1
