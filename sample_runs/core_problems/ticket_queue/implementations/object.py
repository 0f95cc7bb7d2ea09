class Booth:
    def __init__(self):
        self.now = 0
        self.count = 0

    def sell(self):
        if self.count and self.count % 3 == 0:
            self.now += 2
        self.count += 1
        self.now += 1
        return self.now


def ticket_queue(wants):
    booth, result = Booth(), [0 for _ in wants]
    for lap in range(1, max(wants, default=0) + 1):
        for number, wanted in enumerate(wants):
            if wanted >= lap:
                at = booth.sell()
                if wanted == lap:
                    result[number] = at
    return result
