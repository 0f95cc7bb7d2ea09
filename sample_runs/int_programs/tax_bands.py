income = int(input())
tax = 0
lower = 0
rate = 0
for band in range(4):
    upper = 10000 * (band + 1) * (band + 1)
    if income > upper:
        tax += (upper - lower) * rate // 100
    else:
        tax += (income - lower) * rate // 100
        break
    lower = upper
    rate += 12
print(tax, rate)
