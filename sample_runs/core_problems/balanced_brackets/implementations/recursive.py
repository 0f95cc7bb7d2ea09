def first_fault(text):
    closing = {"(": ")", "[": "]", "{": "}"}

    def inside(at, wanted):
        while at < len(text):
            here = text[at]
            if here in closing:
                good, at = inside(at + 1, closing[here])
                if not good:
                    return False, at
            elif here in ")]}":
                return (True, at + 1) if here == wanted else (False, at)
            else:
                at += 1
        return wanted is None, at

    good, at = inside(0, None)
    return -1 if good else at
