def longest_run(values):
    best_value, best_length = None, 0
    length = 0
    for index, value in enumerate(values):
        if index > 0 and values[index - 1] == value:
            length += 1
        else:
            length = 1
        if length > best_length:
            best_value, best_length = value, length
    return best_value, best_length
