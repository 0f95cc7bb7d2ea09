def bowling_score(rolls):
    total = 0
    weights = [1] * (len(rolls) + 2)
    frames = 0
    second = None
    for number, pins in enumerate(rolls):
        if frames < 10:
            total += pins * weights[number]
            if second is None and pins == 10:
                weights[number + 1] += 1
                weights[number + 2] += 1
                frames += 1
            elif second is None:
                second = pins
            else:
                if second + pins == 10:
                    weights[number + 1] += 1
                frames, second = frames + 1, None
        else:
            total += pins * (weights[number] - 1)
    return total
