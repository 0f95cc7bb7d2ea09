def island_sizes(rows):
    boss = {}

    def root(cell):
        while boss[cell] != cell:
            cell = boss[cell]
        return cell

    for down, line in enumerate(rows):
        for across, mark in enumerate(line):
            if mark == "#":
                here = (down, across)
                boss[here] = here
                for other in ((down - 1, across), (down, across - 1)):
                    if other in boss:
                        boss[root(other)] = root(here)
    tally = {}
    for cell in boss:
        chief = root(cell)
        tally[chief] = tally.get(chief, 0) + 1
    return sorted(tally.values())[::-1]
