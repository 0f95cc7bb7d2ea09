seed = int(input())
level = 500
alarms = 0
quiet = 0
for _tick in range(60):
    seed = (seed * 75 + 74) % 65537
    sample = seed % 1001
    level += (sample - level) // 4
    if level > 650:
        alarms += 1
        quiet = 0
    else:
        quiet += 1
        if quiet >= 25:
            break
print(level, alarms, quiet)
