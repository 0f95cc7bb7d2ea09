def bowling_score(rolls, left=10):
    if left == 0:
        return 0
    first, *more = rolls
    bonus = sum(more[:2]) if first == 10 else more[0]
    if first < 10 and first + more[0] == 10:
        bonus += more[1]
    if first != 10:
        del more[0]
    return first + bonus + bowling_score(more, left - 1)
