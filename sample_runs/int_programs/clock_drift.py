minutes = int(input())
slow = 0
fast = 0
meets = 0
for _t in range(1, minutes * 60):
    slow = (slow + 59) % 720
    fast = (fast + 61) % 720
    if slow == fast:
        meets += 1
print(slow, fast, meets)
