a = int(input())
b = int(input())
c = int(input())
x = a
while x % 5 != b:
    x += 3
while x % 7 != c:
    x += 15
print(x)
