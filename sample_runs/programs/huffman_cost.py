import heapq
from collections import Counter

text = input()
depth = {}
heap = [(count, char) for char, count in Counter(text).items()]
heapq.heapify(heap)
cost = 0
first = second = ""
while len(heap) > 1:
    few, first = heapq.heappop(heap)
    more, second = heapq.heappop(heap)
    for char in first + second:
        depth[char] = depth.get(char, 0) + 1
    cost += few + more
    heapq.heappush(heap, (few + more, min(first, second) + max(first, second)))
print(cost, 8 * len(text) - cost)
print(" ".join(f"{char}{depth[char]}" for char in sorted(depth)))
