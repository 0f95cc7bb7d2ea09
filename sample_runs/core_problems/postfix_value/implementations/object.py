class Machine:
    def __init__(self):
        self.memory = []
        self.broken = False

    def number(self, digits):
        try:
            self.memory.append(int(digits))
        except ValueError:
            self.broken = True

    def combine(self, sign):
        if len(self.memory) < 2 or (sign == "/" and not self.memory[-1]):
            self.broken = True
            return
        second, first = self.memory.pop(), self.memory.pop()
        if sign == "*":
            first *= second
        elif sign == "/":
            cut = -1 if (first > 0) != (second > 0) else 1
            first = cut * (abs(first) // abs(second))
        else:
            first += second if sign == "+" else -second
        self.memory.append(first)


def postfix_value(text):
    machine = Machine()
    for symbol in text.split():
        if machine.broken:
            break
        (machine.combine if symbol in "+-*/" else machine.number)(symbol)
    if machine.broken or len(machine.memory) != 1:
        return None
    return machine.memory.pop()
