MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


def spiral_order(matrix):
    free = {(y, x): value for y, line in enumerate(matrix) for x, value in enumerate(line)}
    path, place, heading = [], (0, 0), 0
    while free:
        path.append(free.pop(place))
        ahead = (place[0] + MOVES[heading][0], place[1] + MOVES[heading][1])
        if ahead not in free:
            heading = (heading + 1) % 4
            ahead = (place[0] + MOVES[heading][0], place[1] + MOVES[heading][1])
        place = ahead
    return path
