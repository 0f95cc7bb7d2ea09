def bowling_score(rolls):
    score = frame = ball = 0
    while frame < 10:
        if rolls[ball] == 10:
            score += 10 + rolls[ball + 1] + rolls[ball + 2]
            ball += 1
        elif rolls[ball] + rolls[ball + 1] == 10:
            score += 10 + rolls[ball + 2]
            ball += 2
        else:
            score += rolls[ball] + rolls[ball + 1]
            ball += 2
        frame += 1
    return score
