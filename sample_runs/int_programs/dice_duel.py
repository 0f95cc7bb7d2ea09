seed = int(input())
mine = yours = draws = 0
for _turn in range(20):
    seed = (seed * 141 + 28411) % 134456
    a = seed // 1000 % 6 + 1
    seed = (seed * 141 + 28411) % 134456
    b = seed // 1000 % 6 + 1
    if a > b:
        mine += a - b
    elif b > a:
        yours += b - a
    else:
        draws += 1
        continue
    if mine - yours > 15 or yours - mine > 15:
        break
print(mine, yours, draws)
