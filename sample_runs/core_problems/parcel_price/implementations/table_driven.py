BANDS = [(500, 300), (2000, 500)]
FACTORS = {1: 2, 2: 3, 3: 4}


def parcel_price(parcels):
    prices = []
    for weight, area in parcels:
        cents = next((fee for limit, fee in BANDS if weight <= limit), None)
        if cents is None:
            extra, part = divmod(weight - BANDS[-1][0], 1000)
            cents = 800 + 100 * (extra + (1 if part else 0))
        if area in FACTORS:
            prices.append(cents * FACTORS[area] // 2)
    return sum(prices) if len(prices) < 3 else sum(prices) * 90 // 100
