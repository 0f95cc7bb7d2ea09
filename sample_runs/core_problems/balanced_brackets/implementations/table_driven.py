PARTNER = {")": "(", "]": "[", "}": "{"}


def first_fault(text):
    pending = ""
    for place in range(len(text)):
        char = text[place]
        if char in PARTNER.values():
            pending += char
        elif char in PARTNER:
            if pending[-1:] != PARTNER[char]:
                return place
            pending = pending[:-1]
    return len(text) if pending else -1
