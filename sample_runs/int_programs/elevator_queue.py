seed = int(input())
floor = 0
energy = 0
served = 0
while served < 12:
    seed = (seed * 421 + 54773) % 259200
    want = seed % 14
    while floor != want:
        if floor < want:
            floor += 1
            energy += 3
        else:
            floor -= 1
            energy += 1
    served += 1
print(floor, energy)
