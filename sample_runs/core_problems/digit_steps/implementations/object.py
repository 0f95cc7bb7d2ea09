class Walk:
    squares = [digit * digit for digit in range(10)]

    def __init__(self, start):
        self.trail = [start]

    def __iter__(self):
        return self

    def __next__(self):
        current = self.trail[-1]
        nxt = sum(self.squares[ord(mark) - 48] for mark in f"{current}")
        if current == 1 or nxt in self.trail:
            raise StopIteration
        self.trail.append(nxt)
        return nxt


def digit_steps(number):
    walk = Walk(number)
    for reached in walk:
        if reached == 1:
            return len(walk.trail), True
    return len(walk.trail), number == 1
