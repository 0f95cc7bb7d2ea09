class Robot:
    def __init__(self, obstacles):
        self.position = [0, 0]
        self.compass = "NESW"
        self.obstacles = obstacles

    def turn(self, quarter):
        self.compass = self.compass[quarter:] + self.compass[:quarter]

    def advance(self):
        axis = 1 if self.compass[0] in "NS" else 0
        target = list(self.position)
        target[axis] += 1 if self.compass[0] in "NE" else -1
        if tuple(target) not in self.obstacles:
            self.position = target

    def obey(self, word):
        if word == "F":
            self.advance()
        elif word in "LRB":
            self.turn({"R": 1, "B": 2, "L": 3}[word])
        return word in "FLRB"


def robot_walk(commands, walls):
    robot = Robot(walls)
    for word in commands:
        if not robot.obey(word):
            break
    return tuple(robot.position), robot.compass[0]
