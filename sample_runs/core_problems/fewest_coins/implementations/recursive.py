def fewest_coins(amount, coins):
    known = {}

    def need(left):
        if left == 0:
            return 0
        if left not in known:
            tries = [need(left - c) for c in coins if c > 0 and c <= left]
            tries = [t for t in tries if t >= 0]
            known[left] = 1 + min(tries) if tries else -1
        return known[left]

    return need(amount)
