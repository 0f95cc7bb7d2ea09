amount = int(input())
best = amount
for tens in range(amount // 10 + 1):
    for sixes in range((amount - 10 * tens) // 6 + 1):
        ones = amount - 10 * tens - 6 * sixes
        if tens + sixes + ones < best:
            best = tens + sixes + ones
print(best)
