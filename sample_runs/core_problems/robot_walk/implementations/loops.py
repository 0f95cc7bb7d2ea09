def robot_walk(commands, walls):
    x, y = 0, 0
    dx, dy = 0, 1
    for command in commands:
        if command == "F":
            if (x + dx, y + dy) not in walls:
                x, y = x + dx, y + dy
        elif command == "L":
            dx, dy = -dy, dx
        elif command == "R":
            dx, dy = dy, -dx
        elif command == "B":
            dx, dy = -dx, -dy
        else:
            break
    if dx == 0:
        name = "N" if dy == 1 else "S"
    else:
        name = "E" if dx == 1 else "W"
    return (x, y), name
