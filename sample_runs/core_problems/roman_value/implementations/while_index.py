def roman_value(text):
    order = "IVXLCDM"
    index = len(text) - 1
    result = highest = 0
    while index >= 0:
        rank = order.find(text[index])
        index -= 1
        if rank < 0:
            return rank
        amount = 10 ** (rank // 2) * (5 if rank % 2 else 1)
        highest = max(highest, amount)
        result += amount if amount == highest else -amount
    return result
