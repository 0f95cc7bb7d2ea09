def wrapped_lines(text, width):
    text = " ".join(text.split())
    if not text:
        return []
    cut = len(text)
    if cut > width:
        cut = text.rfind(" ", 0, width + 1)
        if cut < 0:
            cut = text.find(" ")
            if cut < 0:
                return [text]
    head = text[:cut]
    return [head] + wrapped_lines(text[cut:], width)
