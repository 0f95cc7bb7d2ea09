class RunTracker:
    def __init__(self):
        self.value = None
        self.count = 0
        self.record = (None, 0)

    def feed(self, item):
        if self.count and item == self.value:
            self.count += 1
        else:
            self.value, self.count = item, 1
        if self.count > self.record[1]:
            self.record = (self.value, self.count)


def longest_run(values):
    tracker = RunTracker()
    for item in values:
        tracker.feed(item)
    return tracker.record
