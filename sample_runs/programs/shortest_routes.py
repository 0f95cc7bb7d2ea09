import heapq

roads = {}
towns, count, start = input().split()
for _ in range(int(count)):
    one, two, miles = input().split()
    roads.setdefault(one, []).append((two, int(miles)))
    roads.setdefault(two, []).append((one, int(miles)))
best = {start: 0}
heap = [(0, start)]
done = []
stale = 0
while heap:
    travelled, town = heapq.heappop(heap)
    if travelled > best[town]:
        stale += 1
        continue
    done.append(town)
    for other, miles in roads[town]:
        reach = travelled + miles
        if reach < best.get(other, reach + 1):
            best[other] = reach
            heapq.heappush(heap, (reach, other))
print("".join(done), stale, int(towns) - len(done))
print(sum(best.values()), max(best.values()))
