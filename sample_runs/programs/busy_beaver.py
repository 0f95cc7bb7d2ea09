program = {}
for entry in input().split():
    program[entry[0], int(entry[1])] = (int(entry[2]), 1 if entry[3] == "R" else -1, entry[4])
limit = int(input())
tape = {}
head = 0
state = "A"
steps = 0
while state != "H" and steps < limit:
    write, move, state = program[state, tape.get(head, 0)]
    tape[head] = write
    head += move
    steps += 1
cells = [tape.get(i, 0) for i in range(min(tape), max(tape) + 1)]
print("halted" if state == "H" else "cut", steps, sum(cells))
print(*cells, sep="")
