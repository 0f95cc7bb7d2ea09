class Border:
    def __init__(self, grid):
        self.grid = [list(cells) for cells in grid]
        self.peeled = []

    def peel(self):
        grid = self.grid
        self.peeled += grid.pop(0)
        for cells in grid:
            if cells:
                self.peeled.append(cells.pop())
        if grid:
            self.peeled += reversed(grid.pop())
        for cells in grid[::-1]:
            if cells:
                self.peeled.append(cells.pop(0))


def spiral_order(matrix):
    border = Border(matrix)
    while border.grid and border.grid[0]:
        border.peel()
    return border.peeled
