spans = []
for chunk in input().split(","):
    low, high = chunk.split("-")
    spans.append([int(low), int(high)])
spans.sort(key=lambda span: (span[0], -span[1]))
merged = []
nested = 0
holes = 0
for low, high in spans:
    if not merged or low > merged[-1][1] + 1:
        holes += low - merged[-1][1] - 1 if merged else 0
        merged.append([low, high])
    elif high <= merged[-1][1]:
        nested += 1
    else:
        merged[-1][1] = high
print(",".join(f"{low}-{high}" for low, high in merged))
print(sum(high - low + 1 for low, high in merged), holes, nested)
