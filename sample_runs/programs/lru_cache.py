class Cache:
    def __init__(self, room):
        self.room = room
        self.slots = {}

    def fetch(self, key):
        hit = key in self.slots
        stamp = self.slots.pop(key, 0) + 1
        if len(self.slots) == self.room:
            del self.slots[next(iter(self.slots))]
        self.slots[key] = stamp
        return hit


room, requests = input().split()
cache = Cache(int(room))
hits = 0
run = 0
longest = 0
for key in requests:
    if cache.fetch(key):
        hits += 1
        run += 1
    else:
        longest = max(longest, run)
        run = 0
kept = "".join(f"{key}{uses}" for key, uses in cache.slots.items())
print(f"{hits}/{len(requests)}", longest, kept)
