a = int(input())
n = int(input())
result = 1
a %= n
while a != 0:
    while a % 2 == 0:
        a //= 2
        rest = n % 8
        if rest == 3 or rest == 5:
            result = -result
    a, n = n, a
    if a % 4 == 3 and n % 4 == 3:
        result = -result
    a %= n
if n != 1:
    result = 0
print(result)
