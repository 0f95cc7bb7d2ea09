def postfix_value(text):
    stack = []
    for token in text.split():
        if token in ("+", "-", "*", "/"):
            if len(stack) < 2:
                return None
            b = stack.pop()
            a = stack.pop()
            if token == "+":
                stack.append(a + b)
            elif token == "-":
                stack.append(a - b)
            elif token == "*":
                stack.append(a * b)
            elif b == 0:
                return None
            else:
                quotient = abs(a) // abs(b)
                stack.append(quotient if (a < 0) == (b < 0) else -quotient)
        elif token.lstrip("-").isdigit():
            stack.append(int(token))
        else:
            return None
    return stack[0] if len(stack) == 1 else None
