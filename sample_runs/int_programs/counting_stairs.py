n = int(input())
one, two, three = 1, 0, 0
for _step in range(n):
    one, two, three = one + two + three, one, two
print(one)
