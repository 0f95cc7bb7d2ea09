width = int(input())
words = input().split()
lines = []
line = []
used = 0
for word in words:
    if line and used + len(line) + len(word) > width:
        gaps = len(line) - 1
        if gaps:
            wide, extra = divmod(width - used, gaps)
            spaced = [part + " " * (wide + (i < extra)) for i, part in enumerate(line[:-1])]
            lines.append("".join(spaced) + line[-1])
        else:
            lines.append(line[0].ljust(width, "."))
        line = []
        used = 0
    line.append(word)
    used += len(word)
lines.append(" ".join(line))
for text in lines:
    print(f"|{text:<{width}}|")
