counts = {}
word = ""
words = 0
for char in input() + " ":
    if char.isalpha():
        word += char.lower()
    elif word:
        counts[word] = counts.get(word, 0) + 1
        words += 1
        word = ""
width = max(map(len, counts))
ranked = sorted(counts, key=lambda key: (-counts[key], key))
for key in ranked[:4]:
    print(f"{key.rjust(width)} {'=' * counts[key]} {100 * counts[key] // words}%")
rest = sum(counts[key] == 1 for key in ranked[4:])
print(f"{words} words, {len(counts)} distinct, {rest} once")
