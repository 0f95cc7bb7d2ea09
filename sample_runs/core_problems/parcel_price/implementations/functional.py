from math import ceil


def parcel_price(parcels):
    def base(g):
        return 300 if g <= 500 else 500 if g <= 2000 else 800 + 100 * ceil((g - 2000) / 1000)

    known = filter(lambda parcel: 1 <= parcel[1] <= 3, parcels)
    fees = [base(g) * (z + 1) // 2 for g, z in known]
    return sum(fees) * (9 if len(fees) > 2 else 10) // 10
