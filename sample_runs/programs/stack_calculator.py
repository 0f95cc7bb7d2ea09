stack = []
deepest = 0
token = ""
top = 0
for token in input().split():
    match token:
        case "+" | "-" | "*" | "/":
            right, left = stack.pop(), stack.pop()
            if token == "+":
                stack.append(left + right)
            elif token == "-":
                stack.append(left - right)
            elif token == "*":
                stack.append(left * right)
            else:
                stack.append(left // right if right else 0)
        case "dup":
            stack.append(stack[-1])
        case "swap":
            stack[-2:] = stack[:-3:-1]
        case "sum":
            stack = [sum(stack)]
        case number:
            stack.append(int(number))
    top = stack[-1]
    deepest = max(deepest, len(stack))
print("stack:", *stack)
print(f"top={top:+d} deepest={deepest}")
