import operator

OPERATIONS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda x, y: int(x / y) if y else None,
}


def postfix_value(text):
    pile = ()
    for word in text.split():
        if word in OPERATIONS:
            if len(pile) < 2:
                return None
            value = OPERATIONS[word](pile[-2], pile[-1])
            pile = pile[:-2]
        else:
            try:
                value = int(word)
            except ValueError:
                value = None
        if value is None:
            return value
        pile += (value,)
    return None if len(pile) != 1 else pile[-1]
