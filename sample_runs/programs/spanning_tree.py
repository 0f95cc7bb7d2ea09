import sys


def root(parent, node):
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


n, *numbers = map(int, sys.stdin.read().split())
edges = sorted((numbers[i + 2], numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 3))
parent = list(range(n))
total = 0
joined = 0
rejected = []
for cost, a, b in edges:
    a, b = root(parent, a), root(parent, b)
    if a == b:
        rejected.append(cost)
        continue
    parent[max(a, b)] = min(a, b)
    total += cost
    joined += 1
    if joined == n - 1:
        break
print(total if joined == n - 1 else "disconnected", rejected)
