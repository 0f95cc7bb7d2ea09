def stream(register, taps, width):
    while True:
        bit = (register & taps).bit_count() & 1
        register = register >> 1 | bit << (width - 1)
        yield register, bit


seed, taps = (int(word, 2) for word in input().split())
width = taps.bit_length()
period = 0
ones = 0
run = longest = 0
for register, bit in stream(seed, taps, width):
    period += 1
    ones += bit
    run = run + 1 if bit else 0
    longest = max(longest, run)
    if register == seed or period > 200:
        break
print(f"{period} {ones} {longest} {register:0{width}b}")
