n = int(input())
value = 1
for _i in range(n):
    next_value = 1
    for _ in range(value):
        next_value *= 2
    value = next_value
print(value)
