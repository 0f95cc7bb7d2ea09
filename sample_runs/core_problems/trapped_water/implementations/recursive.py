def trapped_water(heights):
    if len(heights) < 3:
        return 0
    summit = heights.index(max(heights))

    def slope(bars, crest):
        if not bars:
            return 0
        first, rest = bars[0], bars[1:]
        if first > crest:
            return slope(rest, first)
        return crest - first + slope(rest, crest)

    return slope(heights[:summit], 0) + slope(heights[:summit:-1], 0)
