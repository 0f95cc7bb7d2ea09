def postfix_value(text):
    words = text.split()

    def operand():
        if not words:
            raise LookupError
        last = words.pop()
        if last not in {"+", "-", "*", "/"}:
            return int(last)
        right = operand()
        left = operand()
        match last:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
        return (abs(left) // abs(right)) * (-1 if left * right < 0 else 1)

    try:
        result = operand()
    except (LookupError, ValueError, ZeroDivisionError):
        return None
    return None if words else result
