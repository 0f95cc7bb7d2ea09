from collections import deque

size, *numbers = map(int, input().split())
room = [[0] * size for _ in range(size)]
for tail, head, limit in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
    room[tail][head] += limit
flow = 0
rounds = 0
least = 0
steps = 0
while True:
    parent = {0: 0}
    queue = deque([0])
    while queue and size - 1 not in parent:
        node = queue.popleft()
        for other in range(size):
            if other not in parent and room[node][other]:
                parent[other] = node
                queue.append(other)
    if size - 1 not in parent:
        break
    path = [size - 1]
    while path[-1]:
        path.append(parent[path[-1]])
    links = [(path[i + 1], path[i]) for i in range(len(path) - 1)]
    least = min(room[a][b] for a, b in links)
    for a, b in links:
        room[a][b] -= least
        room[b][a] += least
    flow += least
    rounds += 1
    steps += len(links)
print(flow, rounds, steps, len(parent))
