p = int(input())
found = 0
for g in range(2, p):
    value = g
    order = 1
    while value != 1:
        value = value * g % p
        order += 1
    if order == p - 1:
        found = g
        break
print(found)
