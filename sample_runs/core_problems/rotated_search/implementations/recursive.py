def rotated_search(values, wanted):
    def seek(part, offset):
        if not part:
            return -1
        if len(part) == 1:
            return offset if part[0] == wanted else -1
        cut = len(part) // 2
        front, back = part[:cut], part[cut:]
        ordered = front[0] <= front[-1]
        if ordered and not front[0] <= wanted <= front[-1]:
            return seek(back, offset + cut)
        found = seek(front, offset)
        return found if found >= 0 else seek(back, offset + cut)

    return seek(values, 0)
