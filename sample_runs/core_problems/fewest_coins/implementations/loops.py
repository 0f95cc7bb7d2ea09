def fewest_coins(amount, coins):
    unreachable = amount + 1
    best = [0] + [unreachable] * amount
    for target in range(1, amount + 1):
        for coin in coins:
            if 0 < coin <= target:
                if best[target - coin] + 1 < best[target]:
                    best[target] = best[target - coin] + 1
    if best[amount] == unreachable:
        return -1
    return best[amount]
