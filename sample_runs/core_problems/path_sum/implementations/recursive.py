def path_sum(grid):
    def cost(row, col):
        if row < 0 or col < 0 or grid[row][col] < 0:
            return None
        if row == col == 0:
            return grid[0][0]
        above, before = cost(row - 1, col), cost(row, col - 1)
        if above is None or (before is not None and before < above):
            above = before
        return None if above is None else above + grid[row][col]

    if len(grid) == 0:
        return -1
    total = cost(len(grid) - 1, len(grid[0]) - 1)
    return -1 if total is None else total
