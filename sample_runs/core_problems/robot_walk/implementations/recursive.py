def robot_walk(commands, walls, spot=0j, ahead=1j):
    if commands and commands[0] in "FLRB":
        order, later = commands[0], commands[1:]
        if order == "F":
            goal = spot + ahead
            blocked = (int(goal.real), int(goal.imag)) in walls
            return robot_walk(later, walls, spot if blocked else goal, ahead)
        factor = 1j if order == "L" else -1j if order == "R" else -1
        return robot_walk(later, walls, spot, ahead * factor)
    looks = {1j: "N", 1: "E", -1j: "S", -1: "W"}
    return (int(spot.real), int(spot.imag)), looks[ahead]
