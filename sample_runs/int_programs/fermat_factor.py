n = int(input())
a = 0
while a * a < n:
    a += 1
rest = a * a - n
while True:
    root = 0
    while root * root < rest:
        root += 1
    if root * root == rest:
        break
    a += 1
    rest = a * a - n
print(a - root, a + root)
