n = int(input())
value = 0
place = 1
above = n // 2
while n > 0:
    if n % 2 != above % 2:
        value += place
    n //= 2
    above //= 2
    place *= 2
print(value)
