n = int(input())
longest = 0
run = -1
while n > 0:
    if n % 2 == 1:
        if run > longest:
            longest = run
        run = 0
    elif run >= 0:
        run += 1
    n //= 2
print(longest)
