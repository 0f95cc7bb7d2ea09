def rotated_search(values, wanted):
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        if values[low] <= values[middle]:
            if values[low] <= wanted < values[middle]:
                high = middle - 1
            else:
                low = middle + 1
        elif values[middle] < wanted <= values[high]:
            low = middle + 1
        else:
            high = middle - 1
    return -1
