import sys

prime = int(input())
rows = [[int(cell) % prime for cell in line.split()] for line in sys.stdin]
size = len(rows)
det = 1
pivot = 0
flips = 0
for col in range(size):
    chosen = next((r for r in range(col, size) if rows[r][col]), None)
    if chosen is None:
        det = 0
        break
    if chosen != col:
        rows[chosen], rows[col] = rows[col], rows[chosen]
        det = -det
        flips += 1
    pivot = rows[col][col]
    det = det * pivot % prime
    inverse = pow(pivot, prime - 2, prime)
    for below in range(col + 1, size):
        factor = rows[below][col] * inverse % prime
        for c in range(col, size):
            rows[below][c] = (rows[below][c] - factor * rows[col][c]) % prime
print(det % prime, flips)
