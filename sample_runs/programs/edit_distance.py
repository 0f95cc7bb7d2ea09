def distance(source, goal):
    row = list(range(len(goal) + 1))
    for letter in source:
        corner = row[0]
        row[0] += 1
        for j, wanted in enumerate(goal, 1):
            kept = corner + (letter != wanted)
            corner = row[j]
            row[j] = min(kept, row[j] + 1, row[j - 1] + 1)
    return row[-1]


first, *others = input().split()
scores = {word: distance(word, first) for word in others}
nearest = min(scores, key=lambda word: (scores[word], word))
print(nearest, scores[nearest], sum(scores.values()))
