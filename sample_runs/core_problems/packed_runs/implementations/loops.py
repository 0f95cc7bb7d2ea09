def packed_runs(text):
    out = ""
    count = 0
    for i in range(len(text)):
        count += 1
        if i + 1 == len(text) or text[i + 1] != text[i]:
            shown = "\\" + text[i] if text[i].isdigit() else text[i]
            if count >= 3:
                out += str(count) + shown
            else:
                for _ in range(count):
                    out += shown
            count = 0
    return out
