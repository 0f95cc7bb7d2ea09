from itertools import cycle
from string import ascii_lowercase as letters

key = input()
secret = []
at = 0
shift = 0
turns = cycle(key)
for char in input():
    place = letters.find(char.lower())
    if place < 0:
        secret.append("_" if char == " " else char)
        continue
    shift = letters.index(next(turns))
    at = (place + shift) % 26
    secret.append(letters[at].upper() if char.isupper() else letters[at])
print("".join(secret[::-1]))
