import sys

turns = int(input())
grid = [line.rstrip("\n") for line in sys.stdin]
height, width = len(grid), len(grid[0])
turn = 0
born = 0
alive = 0
while turn < turns:
    turn += 1
    fresh = []
    for y in range(height):
        row = ""
        for x in range(width):
            near = sum(
                grid[(y + dy) % height][(x + dx) % width] == "#" for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy
            )
            row += "#" if near == 3 or (near == 2 and grid[y][x] == "#") else "."
        born += sum(new == "#" and old == "." for new, old in zip(row, grid[y], strict=True))
        fresh.append(row)
    grid = fresh
    alive = "".join(grid).count("#")
print("\n".join(grid))
print(f"alive {alive}, born {born}")
