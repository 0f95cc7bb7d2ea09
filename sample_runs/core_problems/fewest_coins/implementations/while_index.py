def fewest_coins(amount, coins):
    usable = sorted(set(coins), reverse=True)
    wave, seen, rounds = [amount], {amount}, 0
    while wave:
        following = []
        for rest in wave:
            if rest == 0:
                return rounds
            for worth in usable:
                if worth <= 0:
                    break
                smaller = rest - worth
                if smaller >= 0 and smaller not in seen:
                    seen.add(smaller)
                    following.append(smaller)
        wave, rounds = following, rounds + 1
    return -1
