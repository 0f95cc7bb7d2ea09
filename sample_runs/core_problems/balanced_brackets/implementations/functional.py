from functools import reduce


def first_fault(text):
    def step(state, numbered):
        open_ones, fault = state
        number, letter = numbered
        kind = "()[]{}".find(letter)
        if fault >= 0 or kind < 0:
            return state
        if kind % 2 == 0:
            return (kind, *open_ones), fault
        if open_ones[:1] == (kind - 1,):
            return open_ones[1:], fault
        return open_ones, number

    left, fault = reduce(step, enumerate(text), ((), -1))
    return fault if fault >= 0 or not left else len(text)
