text = input()
size = len(text)
match = [size] + [0] * (size - 1)
left = right = 0
compared = 0
saved = 0
for i in range(1, size):
    if i < right:
        match[i] = min(right - i, match[i - left])
        saved += match[i]
    while i + match[i] < size and text[match[i]] == text[i + match[i]]:
        match[i] += 1
        compared += 1
    if i + match[i] > right:
        left, right = i, i + match[i]
periods = [i for i in range(1, size) if i + match[i] == size]
print(*match)
print(compared, saved, periods[:3])
