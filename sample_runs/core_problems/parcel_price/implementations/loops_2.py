def parcel_price(parcels):
    total = 0
    served = 0
    for grams, zone in parcels:
        if zone == 1 or zone == 2 or zone == 3:
            served += 1
            price = 300
            if grams > 500:
                price = 500
            if grams > 2000:
                price = 800 + (grams - 2001 + 1000) // 1000 * 100
            if zone > 1:
                price += price // 2
            if zone > 2:
                price += price // 3
            total += price
    if served < 3:
        return total
    return total * 9 // 10
