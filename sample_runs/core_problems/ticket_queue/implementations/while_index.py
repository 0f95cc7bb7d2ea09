def ticket_queue(wants):
    waiting = list(wants)
    done = [0] * len(wants)
    minute = sold = i = 0
    while any(w > 0 for w in waiting):
        if waiting[i] > 0:
            minute += 1
            sold += 1
            waiting[i] -= 1
            if waiting[i] == 0:
                done[i] = minute
            if sold % 3 == 0:
                minute += 2
        i = (i + 1) % len(waiting)
    return done
