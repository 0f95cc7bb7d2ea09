import sys

accounts = {}
refused = []
moved = 0
for order, line in enumerate(sys.stdin, 1):
    match line.split():
        case ["open", name, amount]:
            accounts[name] = int(amount)
        case ["pay", giver, taker, amount] if giver in accounts and taker in accounts:
            if accounts[giver] < int(amount):
                refused.append(order)
                continue
            accounts[giver] -= int(amount)
            accounts[taker] += int(amount)
            moved += int(amount)
        case ["fee", percent]:
            for name in accounts:
                accounts[name] -= accounts[name] * int(percent) // 100
        case _:
            refused.append(order)
for name, balance in sorted(accounts.items(), key=lambda item: (-item[1], item[0])):
    print(f"{name:.<8}{balance:>6}")
print("moved", moved, "refused", *refused)
