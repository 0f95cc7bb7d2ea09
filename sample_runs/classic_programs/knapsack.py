room, *numbers = map(int, input().split())
things = list(zip(numbers[::2], numbers[1::2], strict=True))
worth = [0] * (room + 1)
improved = 0
last = 0
for number, (weight, value) in enumerate(things, 1):
    gained = 0
    for space in range(room, weight - 1, -1):
        if worth[space - weight] + value > worth[space]:
            worth[space] = worth[space - weight] + value
            gained += 1
    if gained:
        last = number
    improved += gained
print(worth[room], improved, last, len(set(worth)))
