def first_fault(text):
    stack = []
    for position, symbol in enumerate(text):
        if symbol in "([{":
            stack.append(symbol)
        elif symbol in ")]}":
            if not stack:
                return position
            opening = stack.pop()
            if "([{".index(opening) != ")]}".index(symbol):
                return position
    if stack:
        return len(text)
    return -1
