def longest_run(values):
    start = 0
    winner = (None, 0)
    while start < len(values):
        end = start
        while end < len(values) and values[end] == values[start]:
            end += 1
        if end - start > winner[1]:
            winner = (values[start], end - start)
        start = end
    return winner
