import sys
from collections import deque

needs = {}
users = {}
for rule in sys.stdin:
    goal, _, parts = rule.partition(":")
    needs[goal] = parts.split()
    for part in needs[goal]:
        needs.setdefault(part, [])
        users.setdefault(part, []).append(goal)
waiting = {goal: len(parts) for goal, parts in needs.items()}
ready = deque(sorted(goal for goal in waiting if not waiting[goal]))
built = ""
widest = len(ready)
while ready:
    goal = ready.popleft()
    built += goal
    for user in users.get(goal, ()):
        waiting[user] -= 1
        if not waiting[user]:
            ready.append(user)
    widest = max(widest, len(ready))
stuck = sorted(goal for goal in waiting if waiting[goal] > 0)
print(built, widest, "".join(stuck) or "-")
