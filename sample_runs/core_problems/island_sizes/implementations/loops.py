def island_sizes(rows):
    label = {}
    for i, text in enumerate(rows):
        for j, char in enumerate(text):
            if char == "#":
                label[i, j] = len(label)
    changed = True
    while changed:
        changed = False
        for i, j in label:
            for p, q in ((i, j + 1), (i + 1, j)):
                if (p, q) in label and label[p, q] != label[i, j]:
                    lower = min(label[p, q], label[i, j])
                    label[p, q] = label[i, j] = lower
                    changed = True
    numbers = list(label.values())
    return sorted((numbers.count(one) for one in set(numbers)), reverse=True)
