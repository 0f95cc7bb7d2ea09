def spiral_order(matrix):
    if not matrix or not matrix[0]:
        return []
    first, *others = matrix
    turned = [[line[at] for line in others] for at in range(len(first) - 1, -1, -1)]
    if not others:
        return first
    return first + spiral_order(turned)
