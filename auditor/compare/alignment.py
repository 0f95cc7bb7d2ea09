"""The longest common subsequence of two sequences, exact within a budget: bit vectors, or Myers' greedy search.

Both give the same length; the first takes time and memory by the product of the lengths, the second by their
difference, so that texts of megabytes with few changes stay cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

CELLS = 1 << 27
"""The largest product of lengths for bit vectors: 16 MB, about 20 ms."""
_ROWS_BETWEEN_LOOKS = 256
_DEAD = -(1 << 60)


class Block(NamedTuple):
    """`length` elements that both sides share."""

    left: int
    right: int
    length: int


class Alignment(NamedTuple):
    """What two sequences share, in order."""

    blocks: list[Block]
    reached: tuple[int, int] | None
    """None when the alignment is the longest; else how far on both sides the search came before its deadline."""


def common_prefix(left: Sequence[object], right: Sequence[object], left_at: int = 0, right_at: int = 0) -> int:
    """Count the elements that both sides share from two places on; slices of growing size keep the loop in C."""
    room = min(len(left) - left_at, len(right) - right_at)
    done, size = 0, min(8, room)
    while left[left_at + done : left_at + done + size] == right[right_at + done : right_at + done + size]:
        done += size
        if done == room:
            return done
        size = min(4 * size, room - done)
    low, high = done, done + size  # the first `low` are shared, the first `high` are not
    while high - low > 1:
        middle = (low + high) // 2
        if left[left_at + low : left_at + middle] == right[right_at + low : right_at + middle]:
            low = middle
        else:
            high = middle
    return low


def common_suffix(left: Sequence[object], right: Sequence[object], limit: int) -> int:
    """Count the elements, at most `limit`, that both sides share at their ends."""
    low, high = 0, limit
    n, m = len(left), len(right)
    while low < high:
        middle = (low + high + 1) // 2
        if left[n - middle : n - low] == right[m - middle : m - low]:
            low = middle
        else:
            high = middle - 1
    return low


def align(left: Sequence[object], right: Sequence[object], deadline: float) -> Alignment:
    """Find a longest common subsequence, or what was found of one when `deadline` (monotonic seconds) passed."""
    if not left or not right:
        return Alignment([], None)
    if len(left) * len(right) <= CELLS:
        return _by_bits(left, right, deadline)
    return _by_search(left, right, deadline)


def _by_bits(left: Sequence[object], right: Sequence[object], deadline: float) -> Alignment:
    """Hyyrö's bit-vector LCS (2004); the shorter side makes the bits, so that a row is as short as can be."""
    if len(left) > len(right):
        blocks, reached = _by_bits(right, left, deadline)
        return Alignment(
            [Block(right_at, left_at, length) for left_at, right_at, length in blocks],
            reached and (reached[1], reached[0]),
        )
    masks: dict[object, int] = {}
    for place, token in enumerate(left):
        masks[token] = masks.get(token, 0) | 1 << place
    full = (1 << len(left)) - 1
    row, rows = full, []
    for number, token in enumerate(right):
        if number % _ROWS_BETWEEN_LOOKS == _ROWS_BETWEEN_LOOKS - 1 and monotonic() > deadline:
            return Alignment([], (0, 0))
        hits = row & masks.get(token, 0)
        row = ((row + hits) | (row - hits)) & full
        rows.append(row)
    return Alignment(_trace_bits(rows, len(left)), None)


def _trace_bits(rows: Sequence[int], width: int) -> list[Block]:
    """Walk back through the rows: a cleared bit says that the common subsequence grows there."""
    blocks: list[Block] = []
    i, j = width, len(rows)
    while i and j:
        if rows[j - 1] >> (i - 1) & 1:
            i -= 1
        elif j > 1 and not rows[j - 2] >> (i - 1) & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            if blocks and blocks[-1][:2] == (i + 1, j + 1):
                blocks[-1] = Block(i, j, blocks[-1].length + 1)
            else:
                blocks.append(Block(i, j, 1))
    return blocks[::-1]


def _by_search(left: Sequence[object], right: Sequence[object], deadline: float) -> Alignment:
    """Myers' greedy O(ND) search (1986). Row d holds, for the diagonals -d, -d+2 … d, how far d edits reach in left."""
    n, m = len(left), len(right)
    rows = [[common_prefix(left, right)]]
    if rows[0][0] == n == m:
        return Alignment([Block(0, 0, n)], None)
    while monotonic() <= deadline:
        before, edits = rows[-1], len(rows)
        row = []
        for index in range(edits + 1):
            diagonal = 2 * index - edits
            x = _start(before, index, diagonal, n, m)
            y = x - diagonal
            if x >= 0 and x < n and y < m and left[x] == right[y]:
                x += common_prefix(left, right, x, y)
            row.append(x)
            if x == n and x - diagonal == m:
                rows.append(row)
                return Alignment(_trace_search(rows, index, n, m), None)
        rows.append(row)
    last = rows[-1]
    index = max(range(len(last)), key=lambda place: last[place] - place if last[place] >= 0 else _DEAD)
    x = last[index]
    return Alignment(_trace_search(rows, index, n, m), (x, x - (2 * index - len(last) + 1)))


def _start(before: Sequence[int], index: int, diagonal: int, n: int, m: int) -> int:
    """Return where a diagonal's run begins after one more edit: right from one neighbour or down from the other."""
    across = before[index - 1] + 1 if index else _DEAD
    down = before[index] if index < len(before) else _DEAD
    if across > n:
        across = _DEAD
    if down - diagonal > m:
        down = _DEAD
    return max(across, down)


def _trace_search(rows: Sequence[Sequence[int]], index: int, n: int, m: int) -> list[Block]:
    """Walk back from one diagonal of the last row; each run of equal elements is a block."""
    blocks = []
    for edits in range(len(rows) - 1, 0, -1):
        diagonal = 2 * index - edits
        end = rows[edits][index]
        start = _start(rows[edits - 1], index, diagonal, n, m)
        if end > start:
            blocks.append(Block(start, start - diagonal, end - start))
        came_across = index > 0 and rows[edits - 1][index - 1] + 1 == start
        if came_across:
            index -= 1
    if rows[0][0]:
        blocks.append(Block(0, 0, rows[0][0]))
    return blocks[::-1]
