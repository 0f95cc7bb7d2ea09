"""Small programs with inputs, to plant faults in."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    "primes": (
        """\
limit = int(input())
primes = []
for n in range(2, limit + 1):
    if all(n % p != 0 for p in primes if p * p <= n):
        primes.append(n)
print(len(primes), sum(primes), primes[-1])
""",
        "47\n",
    ),
    "words": (
        """\
words = input().strip().lower().split()
counts = {}
for word in words:
    counts[word] = counts.get(word, 0) + len(word)
ranked = sorted(counts)
print("-".join(ranked))
print(max(counts.values()), " ".join(word[1:3] for word in ranked))
""",
        "The quick fox and the lazy dog and the Hen\n",
    ),
    "change": (
        """\
target, *coins = map(int, input().split())
ways = [1] + [0] * target
for coin in coins:
    for amount in range(coin, target + 1):
        ways[amount] += ways[amount - coin]
best = max(ways[: target // 2])
print(ways[target], best, sum(ways))
""",
        "37 1 5 7 12\n",
    ),
    "collatz": (
        """\
n = int(input())
steps = high = 0
total = 0
while n > 1 and steps < 100:
    if n % 2 == 0:
        n = n // 2
    else:
        n = 3 * n + 1
    steps += 1
    total += n
    high = max(high, n)
print(steps, high, total)
""",
        "27\n",
    ),
    "runs": (
        """\
text = input()
out = []
start = 0
for i in range(1, len(text) + 1):
    if i == len(text) or text[i] != text[start]:
        length = i - start
        out.append(text[start].upper() + str(length) if length >= 2 else text[start])
        start = i
print("".join(out), len(out))
""",
        "aaabccddddefffg\n",
    ),
    "ledger": (
        """\
balance, low = 0, 0
history = []
for entry in input().split():
    amount = int(entry)
    balance += amount
    if balance < low:
        low = balance
    if amount > 50 or balance < 0:
        history.append(balance)
mean = sum(history) // len(history)
print(balance, low, mean)
print(*sorted(history))
""",
        "120 -75 33 -140 61 88 -9 -200 310\n",
    ),
}
