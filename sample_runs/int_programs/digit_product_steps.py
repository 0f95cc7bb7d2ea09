n = int(input())
steps = 0
while n > 9:
    product = 1
    while n > 0:
        product *= n % 10
        n //= 10
    n = product
    steps += 1
print(steps, n)
