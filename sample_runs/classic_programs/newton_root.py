SCALE = 10**6
value, power = map(int, input().split())
guess = value * SCALE
rounds = 0
step = guess
shrunk = 0
while step:
    below = SCALE
    for _ in range(power - 1):
        below = below * guess // SCALE
    following = ((power - 1) * guess + value * SCALE * SCALE // below) // power
    shrunk += following < guess
    step = guess - following
    guess = following
    rounds += 1
    if rounds == 60:
        break
whole, rest = divmod(guess, SCALE)
print(f"{whole}.{rest:06d} after {rounds} rounds, {shrunk} down")
