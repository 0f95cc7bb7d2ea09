def trapped_water(heights):
    low, high = 0, len(heights) - 1
    wall_low = wall_high = water = 0
    while low < high:
        if heights[low] <= heights[high]:
            wall_low = max(wall_low, heights[low])
            water += wall_low - heights[low]
            low += 1
        else:
            wall_high = max(wall_high, heights[high])
            water += wall_high - heights[high]
            high -= 1
    return water
