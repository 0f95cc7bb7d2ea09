class Game:
    def __init__(self, pins):
        self.pins = iter(enumerate(pins))
        self.all = pins

    def ahead(self, start, many):
        return sum(self.all[start : start + many])

    def frame(self):
        place, knocked = next(self.pins)
        if knocked == 10:
            return self.ahead(place, 3)
        place, further = next(self.pins)
        if knocked + further == 10:
            return self.ahead(place - 1, 3)
        return knocked + further


def bowling_score(rolls):
    game = Game(rolls)
    points = 0
    for _ in range(10):
        points += game.frame()
    return points
