def trapped_water(heights):
    total = 0
    for i in range(len(heights)):
        left = 0
        for h in heights[:i]:
            if h > left:
                left = h
        right = 0
        for h in heights[i + 1 :]:
            if h > right:
                right = h
        level = left if left < right else right
        if level > heights[i]:
            total += level - heights[i]
    return total
