n = int(input())
a = 1
b = 0
while n > 0:
    if n % 2 == 0:
        a += b
    else:
        b += a
    n //= 2
print(b)
