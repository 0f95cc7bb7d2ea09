def packed_runs(text):
    if text == "":
        return text
    first = text[0]
    rest = text.lstrip(first)
    length = len(text) - len(rest)
    quoted = first
    if first in "0123456789":
        quoted = chr(92) + first
    if length < 3:
        return quoted * length + packed_runs(rest)
    return str(length) + quoted + packed_runs(rest)
