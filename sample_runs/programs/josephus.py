people, step, spare = map(int, input().split())
circle = list(range(1, people + 1))
at = 0
gone = 0
checksum = 0
while len(circle) > spare:
    at = (at + step - 1) % len(circle)
    gone = circle.pop(at)
    checksum = (checksum * 3 + gone) % 1009
    if gone % 5 == 0:
        step += 1
print(*circle)
print(gone, step, checksum)
