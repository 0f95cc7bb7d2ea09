def parcel_price(parcels):
    total = 0
    served = 0
    for grams, zone in parcels:
        if zone not in (1, 2, 3):
            continue
        if grams <= 500:
            price = 300
        elif grams <= 2000:
            price = 500
        else:
            price = 800
            over = grams - 2000
            while over > 0:
                price += 100
                over -= 1000
        if zone == 2:
            price += price // 2
        elif zone == 3:
            price *= 2
        total += price
        served += 1
    if served >= 3:
        total -= -(-total // 10)
    return total
