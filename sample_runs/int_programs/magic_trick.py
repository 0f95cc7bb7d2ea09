n = int(input())
high = n // 100
low = n % 10
middle = n // 10 % 10
back = low * 100 + middle * 10 + high
difference = n - back
if difference < 0:
    difference = -difference
turned = difference % 10 * 100 + difference // 10 % 10 * 10 + difference // 100
print(difference + turned)
