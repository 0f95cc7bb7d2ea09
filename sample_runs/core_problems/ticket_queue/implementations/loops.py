def ticket_queue(wants):
    times = []
    for place, own in enumerate(wants):
        if own <= 0:
            times.append(0)
            continue
        sales = 0
        for other, theirs in enumerate(wants):
            if theirs > 0:
                rounds = own if other <= place else own - 1
                sales += min(theirs, rounds)
        times.append(sales + (sales - 1) // 3 * 2)
    return times
