n = int(input())
code = 0
place = 1
while n != 0:
    digit = (n + 1) % 3 - 1
    n = (n - digit) // 3
    code += (digit + 2) * place
    place *= 10
print(code)
