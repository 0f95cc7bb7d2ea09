TURNS = {"L": 3, "R": 1, "B": 2}
STEPS = [(0, 1), (1, 0), (0, -1), (-1, 0)]


def robot_walk(commands, walls):
    at, facing = (0, 0), 0
    for letter in commands:
        if letter in TURNS:
            facing = (facing + TURNS[letter]) % 4
        elif letter == "F":
            wanted = tuple(map(sum, zip(at, STEPS[facing])))
            at = at if wanted in walls else wanted
        else:
            return at, "NESW"[facing]
    return at, "NESW"[facing]
