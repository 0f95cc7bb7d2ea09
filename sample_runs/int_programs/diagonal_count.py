n = int(input())
row = 0
column = 0
for _ in range(n):
    if (row + column) % 2 == 0:
        if row == 0:
            column += 1
        else:
            row -= 1
            column += 1
    else:
        if column == 0:
            row += 1
        else:
            column -= 1
            row += 1
print(row, column)
