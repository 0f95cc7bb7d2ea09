year = int(input())
a = year % 19
b = year // 100
c = year % 100
d = b // 4
e = b % 4
f = (b + 8) // 25
g = (b - f + 1) // 3
h = (19 * a + b - d - g + 15) % 30
i = c // 4
k = c % 4
m = (32 + 2 * e + 2 * i - h - k) % 7
n = (a + 11 * h + 22 * m) // 451
month = (h + m - 7 * n + 114) // 31
day = (h + m - 7 * n + 114) % 31 + 1
print(month, day)
