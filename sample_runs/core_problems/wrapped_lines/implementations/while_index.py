def wrapped_lines(text, width):
    words, at, rows = text.split(), 0, []
    while at < len(words):
        used, upto = len(words[at]), at + 1
        while upto < len(words):
            used += 1 + len(words[upto])
            if used > width:
                break
            upto += 1
        rows.append(" ".join(words[at:upto]))
        at = upto
    return rows
