pattern = input()
text = input()
border = [0]
length = 0
while len(border) < len(pattern):
    if pattern[len(border)] == pattern[length]:
        length += 1
        border.append(length)
    elif length:
        length = border[length - 1]
    else:
        border.append(0)
matched = 0
falls = 0
ends = []
for i in range(len(text)):
    while matched and (matched == len(pattern) or text[i] != pattern[matched]):
        matched = border[matched - 1]
        falls += 1
    if text[i] == pattern[matched]:
        matched += 1
    if matched == len(pattern):
        ends.append(i)
print(border)
print(len(ends), falls, ends[-1] if ends else None)
