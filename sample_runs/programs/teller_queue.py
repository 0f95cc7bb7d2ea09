import heapq

tellers, *visits = input().split()
free = [0] * int(tellers)
worst = 0
waited = 0
idle = 0
for visit in visits:
    arrives, lasts = map(int, visit.split("+"))
    opens = heapq.heappop(free)
    if opens > arrives:
        waited += opens - arrives
        worst = max(worst, opens - arrives)
    else:
        idle += arrives - opens
    heapq.heappush(free, max(opens, arrives) + lasts)
print(f"waited={waited} worst={worst} idle={idle} closed={max(free)}")
