rule, steps, row = input().split()
table = {format(i, "03b"): "01"[int(rule) >> i & 1] for i in range(8)}
live = row.count("1")
seen = [row]
step = 0
while step < int(steps):
    padded = row[-1] + row + row[0]
    row = "".join(table[padded[i : i + 3]] for i in range(len(row)))
    if row in seen:
        break
    seen.append(row)
    step += 1
    live += row.count("1")
else:
    step = -1
for line in seen[::3]:
    print(line.translate({48: " ", 49: "*"}).rstrip())
print(step, live)
