from functools import reduce


def fewest_coins(amount, coins):
    endless = float("inf")

    def with_kind(table, kind):
        if kind < 1:
            return table
        fresh = list(table)
        for total in range(kind, amount + 1):
            fresh[total] = min(fresh[total], fresh[total - kind] + 1)
        return fresh

    result = reduce(with_kind, coins, [0] + [endless] * amount)[-1]
    return -1 if result == endless else result
