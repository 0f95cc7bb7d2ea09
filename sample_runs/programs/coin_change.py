target, *coins = map(int, input().split())
fewest = [0] + [target + 1] * target
choice = [0] * (target + 1)
payable = 0
best = 0
for amount in range(1, target + 1):
    for coin in coins:
        if coin <= amount and fewest[amount - coin] + 1 < fewest[amount]:
            fewest[amount] = fewest[amount - coin] + 1
            choice[amount] = coin
    best = fewest[amount]
    if choice[amount]:
        payable += 1
if not choice[target]:
    print(-1, payable)
else:
    paid = []
    while target:
        paid.append(choice[target])
        target -= choice[target]
    print(len(paid), payable)
    print(*sorted(paid))
