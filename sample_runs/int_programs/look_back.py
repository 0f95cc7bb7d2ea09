n = int(input())
first, second, third = 1, 1, 1
for step in range(3, n + 1):
    if step % 3 == 0:
        first, second, third = second, third, first + second
    else:
        first, second, third = third, first, second + third
print(first, second, third)
