a = int(input())
b = int(input())
c = int(input())
solutions = 0
first_x = -1
for x in range(c // a + 1):
    left = c - a * x
    if left % b == 0:
        solutions += 1
        if first_x < 0:
            first_x = x
print(solutions, first_x)
