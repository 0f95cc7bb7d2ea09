def spiral_order(matrix):
    out = []
    top, bottom = 0, len(matrix) - 1
    left, right = 0, len(matrix[0]) - 1 if matrix else -1
    while top <= bottom and left <= right:
        for column in range(left, right + 1):
            out.append(matrix[top][column])
        for row in range(top + 1, bottom + 1):
            out.append(matrix[row][right])
        if top < bottom and left < right:
            for column in range(right - 1, left - 1, -1):
                out.append(matrix[bottom][column])
            for row in range(bottom - 1, top, -1):
                out.append(matrix[row][left])
        top, bottom, left, right = top + 1, bottom - 1, left + 1, right - 1
    return out
