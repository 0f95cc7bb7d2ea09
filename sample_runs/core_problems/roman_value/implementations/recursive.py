def roman_value(text, biggest=0):
    if not text:
        return 0
    head, last = text[:-1], text[-1]
    match last:
        case "I":
            step = 1
        case "V":
            step = 5
        case "X":
            step = 10
        case "L":
            step = 50
        case "C":
            step = 100
        case "D":
            step = 500
        case "M":
            step = 1000
        case _:
            return -1
    if any(char not in "IVXLCDM" for char in head):
        return -1
    rest = roman_value(head, max(step, biggest))
    return rest + (step if step >= biggest else -step)
