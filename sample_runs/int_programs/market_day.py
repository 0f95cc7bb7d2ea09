price = int(input())
stock = 30
cash = 0
for hour in range(9, 18):
    wanted = 60 // price + (hour * 7) % 5
    if wanted > stock:
        wanted = stock
    stock -= wanted
    cash += wanted * price
    if stock == 0:
        break
    if wanted < 4:
        price -= 3
    elif wanted > 6:
        price += 5
print(cash, stock, price)
