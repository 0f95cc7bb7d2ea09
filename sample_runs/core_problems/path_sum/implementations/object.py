from heapq import heappop, heappush


class Explorer:
    def __init__(self, field):
        self.field = field
        self.heap = []
        self.closed = set()

    def visit(self, spent, y, x):
        if y < len(self.field) and x < len(self.field[y]) and self.field[y][x] >= 0:
            heappush(self.heap, (spent + self.field[y][x], y, x))

    def run(self):
        self.visit(0, 0, 0)
        while self.heap:
            spent, y, x = heappop(self.heap)
            if (y, x) in self.closed:
                continue
            self.closed.add((y, x))
            if y == len(self.field) - 1 and x == len(self.field[y]) - 1:
                return spent
            self.visit(spent, y + 1, x)
            self.visit(spent, y, x + 1)
        return -1


def path_sum(grid):
    return Explorer(grid).run()
