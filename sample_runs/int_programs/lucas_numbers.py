n = int(input())
a, b = 2, 1
odd = 0
for _ in range(n):
    a, b = b, a + b
    if a % 2 == 1:
        odd += 1
print(a, odd)
