from collections import deque


def ticket_queue(wants):
    line = deque((who, many) for who, many in enumerate(wants) if many > 0)
    finished = {}
    clock = 0
    until_pause = 3
    while line:
        who, many = line.popleft()
        clock += 1
        if many > 1:
            line.append((who, many - 1))
        else:
            finished[who] = clock
        until_pause -= 1
        if not until_pause:
            clock, until_pause = clock + 2, 3
    return [finished.get(who, 0) for who in range(len(wants))]
