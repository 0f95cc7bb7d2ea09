def sink(heap, root, size):
    swaps = 0
    while (child := 2 * root + 1) < size:
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[root] >= heap[child]:
            break
        heap[root], heap[child] = heap[child], heap[root]
        root = child
        swaps += 1
    return swaps


heap = list(map(int, input().split()))
built = sum(sink(heap, root, len(heap)) for root in reversed(range(len(heap) // 2)))
moved = 0
top = heap[0]
for size in range(len(heap) - 1, 0, -1):
    top = heap[0]
    heap[0], heap[size] = heap[size], top
    moved += sink(heap, 0, size)
print(built, moved, *heap)
