def trapped_water(heights):
    stack, volume = [], 0
    for spot, tall in enumerate(heights):
        while stack and heights[stack[-1]] < tall:
            floor = heights[stack.pop()]
            if not stack:
                break
            width = spot - stack[-1] - 1
            bounded = min(tall, heights[stack[-1]]) - floor
            volume += width * bounded
        stack.append(spot)
    return volume
