def pack(text):
    packed, i = "", 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i] and j - i < 9:
            j += 1
        packed += text[i] * (j - i) if j - i < 3 else f"{text[i]}{j - i}"
        i = j
    return packed


text = input()
rounds = 0
saved = 0
while True:
    shorter = pack(text)
    if len(shorter) >= len(text):
        break
    saved += len(text) - len(shorter)
    text = shorter
    rounds += 1
print(text)
print(f"{rounds} rounds, {saved} saved")
