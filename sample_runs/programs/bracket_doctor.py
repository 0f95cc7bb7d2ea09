pairs = {")": "(", "]": "[", "}": "{"}
opened = []
repairs = 0
fixed = ""
for char in input():
    if char in pairs.values():
        opened.append(char)
    elif char in pairs:
        if opened and opened[-1] == pairs[char]:
            opened.pop()
        elif pairs[char] in opened:
            while opened[-1] != pairs[char]:
                fixed += dict(map(reversed, pairs.items()))[opened.pop()]
                repairs += 1
            opened.pop()
        else:
            repairs += 1
            continue
    fixed += char
while opened:
    fixed += ")]}"["([{".index(opened.pop())]
    repairs += 1
print(fixed)
print("clean" if not repairs else f"{repairs} repairs")
