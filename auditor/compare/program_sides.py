"""Two programs side by side: which of their lines stand in one row, and what in such a row is not the same.

A name that only one program has does not tear lines apart where it stands for one name of the other: it is renamed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from auditor.compare.alignment import Block, align, common_prefix, common_suffix
from auditor.compare.line_pairs import LinePairs, ProgramSide, pair_lines
from auditor.compare.program_tokens import ProgramTokens, Token, renamed_texts

Kind = Literal["equal", "alike", "changed", "apart", "left", "right"]
"""`equal` = the same characters; `alike` = the same but for renamed names and white space; `changed` = what is not the
same is marked; `apart` = two lines without a counterpart that only stand at the same place; `left`, `right` = one line
without one."""

_CELLS = 1 << 22
"""Lines whose numbers of tokens have a larger product are compared by what they begin and end with …"""
_CELLS_IN_ALL = 1 << 26
"""… and so are all when as many were spent."""


class Part(NamedTuple):
    """Characters `start:end` of a line that are not the same in the other one."""

    start: int
    end: int
    renamed: bool


class SideRow(NamedTuple):
    """A row: lines of both programs, counted from 0; None where one has none."""

    kind: Kind
    left: int | None
    right: int | None
    left_parts: tuple[Part, ...] = ()
    right_parts: tuple[Part, ...] = ()


class Sides(NamedTuple):
    """Two programs in rows: each has every one of its lines once and in order."""

    rows: tuple[SideRow, ...]
    renamed: Mapping[str, str]
    """Names of the left program, each with what it is called in the right one."""
    reason: str | None = None
    """Why lines that are alike may stand apart; None where all were looked at."""

    def count(self, *kinds: Kind) -> int:
        """Count rows of some kinds."""
        return sum(row.kind in kinds for row in self.rows)


def program_lines(source: str) -> list[str]:
    """Return the lines of a program; a final newline ends its line and begins no other."""
    return source.removesuffix("\n").split("\n")


def align_programs(left: str, right: str, language: str, *, seconds: float = 0.5) -> Sides:
    """Put two programs in one of the task languages side by side.

    Of long programs lines are paired where they are equal, which is looked for so many seconds.
    """
    tokens = ProgramTokens(program_lines(left), language), ProgramTokens(program_lines(right), language)
    found, inner, compared = _compare(*tokens, {}, seconds)
    renamed = _renamed(*tokens, inner.counterparts)
    if renamed:
        # What is the same but for these names can be told now, and so lines can be paired better.
        found, inner, compared = _compare(*tokens, renamed, seconds)
    return Sides(tuple(_rows(*tokens, found.pairs, compared)), renamed, found.reason)


def _compare(
    left: ProgramTokens, right: ProgramTokens, renamed: Mapping[str, str], seconds: float
) -> tuple[LinePairs, _Inner, list[_Compared]]:
    found = pair_lines(ProgramSide(left, right, renamed), ProgramSide(right, left, {}, renamed), seconds)
    inner = _Inner(left, right, renamed)
    return found, inner, [inner.compare(i, j) for i, j in found.pairs]


def one_below_another(rows: Sequence[SideRow]) -> Iterator[SideRow]:
    """Yield rows in which only equal lines have both: of a pair the left line stands above the right one.

    Lines without a counterpart stand by themselves, all of the left program above those of the right one.
    """
    for loose, run in groupby(rows, lambda row: row.kind in ("apart", "left", "right")):
        some = list(run)
        if loose:
            yield from (SideRow("left", row.left, None) for row in some if row.left is not None)
            yield from (SideRow("right", None, row.right) for row in some if row.right is not None)
            continue
        for row in some:
            if row.kind == "equal":
                yield row
            else:
                yield row._replace(right=None, right_parts=())
                yield row._replace(left=None, left_parts=())


# --- what differs in a pair ----------------------------------------------------------------------------------------


class _Compared(NamedTuple):
    kind: Kind
    left: tuple[Part, ...] = ()
    right: tuple[Part, ...] = ()


class _Inner:
    """Compares paired lines token by token, and counts which names stand where the other program has which."""

    def __init__(self, left: ProgramTokens, right: ProgramTokens, renamed: Mapping[str, str]) -> None:
        self._left, self._right = left, right
        self._renamed = renamed
        self._cells = _CELLS_IN_ALL
        self.counterparts: dict[tuple[str, str], int] = defaultdict(int)

    def compare(self, i: int, j: int) -> _Compared:
        """Return what differs between a line of the left and one of the right program."""
        if self._left.lines[i] == self._right.lines[j]:
            return _Compared("equal")
        left, right = self._left.of(i), self._right.of(j)
        blocks = self._blocks(renamed_texts(left, self._renamed), renamed_texts(right, {}))
        matched = [(block.left + step, block.right + step) for block in blocks for step in range(block.length)]
        self._count(left, right, matched)
        same = [(at, other) for at, other in matched if left[at].text == right[other].text]
        kind: Kind = "alike" if len(matched) == len(left) == len(right) else "changed"
        (same_left, same_right), (left_at, right_at) = _apart(same), _apart(matched)
        return _Compared(
            kind, _parts(left, same_left, left_at - same_left), _parts(right, same_right, right_at - same_right)
        )

    def _blocks(self, left: Sequence[str], right: Sequence[str]) -> list[Block]:
        cells = len(left) * len(right)
        if cells <= min(_CELLS, self._cells):
            self._cells -= cells
            return align(left, right, float("inf")).blocks
        head = common_prefix(left, right)
        tail = common_suffix(left, right, min(len(left), len(right)) - head)
        return [Block(0, 0, head), Block(len(left) - tail, len(right) - tail, tail)]

    def _count(self, left: Sequence[Token], right: Sequence[Token], matched: Sequence[tuple[int, int]]) -> None:
        """Count the names that stand at the same place between matched tokens, where no other can be meant."""
        i = j = 0
        for at, other in (*matched, (len(left), len(right))):
            if at - i == other - j:
                for old, new in zip(left[i:at], right[j:other], strict=True):
                    is_name = old.is_name and new.is_name and old.is_field == new.is_field
                    if is_name and old.text in self._left.own_names and new.text in self._right.own_names:
                        self.counterparts[old.text, new.text] += 1
            i, j = at + 1, other + 1


def _apart(pairs: Sequence[tuple[int, int]]) -> tuple[set[int], set[int]]:
    return {at for at, _ in pairs}, {other for _, other in pairs}


def _renamed(left: ProgramTokens, right: ProgramTokens, counterparts: Mapping[tuple[str, str], int]) -> dict[str, str]:
    """Return the names that only one program has and that stand most often where the other has one and the same.

    More than half of what there is of both must stand so. A name that stands as often at several ones' places is not
    taken for any of them.
    """
    by_left: dict[str, Counter[str]] = defaultdict(Counter)
    by_right: dict[str, Counter[str]] = defaultdict(Counter)
    for (old, new), count in counterparts.items():
        by_left[old][new] = by_right[new][old] = count
    most = {old: _most(counts) for old, counts in by_left.items()}
    most_back = {new: _most(counts) for new, counts in by_right.items()}
    return {
        old: new
        for old, new in most.items()
        if new is not None
        and most_back[new] == old
        and old not in right.names
        and new not in left.names
        and 2 * counterparts[old, new] > max(left.names[old], right.names[new])
    }


def _most(counts: Counter[str]) -> str | None:
    first, *others = counts.most_common(2)
    return None if others and others[0][1] == first[1] else first[0]


def _parts(tokens: Sequence[Token], same: set[int], renamed: set[int]) -> tuple[Part, ...]:
    """Return what is not the same; tokens next to each other are one part, but for renamed ones."""
    parts: list[Part] = []
    before = -1
    for at, token in enumerate(tokens):
        if at in same:
            continue
        is_renamed = at in renamed
        if parts and before == at - 1 and not is_renamed and not parts[-1].renamed:
            parts[-1] = parts[-1]._replace(end=token.end)
        else:
            parts.append(Part(token.start, token.end, is_renamed))
        before = at
    return tuple(parts)


# --- rows ----------------------------------------------------------------------------------------------------------


def _rows(
    left: ProgramTokens, right: ProgramTokens, pairs: Sequence[tuple[int, int]], compared: Sequence[_Compared]
) -> Iterator[SideRow]:
    """Yield the rows: pairs, and between them what has no counterpart, beside each other as far as both have some."""
    i = j = 0
    end = len(left.lines), len(right.lines)
    for (at, other), found in (*zip(pairs, compared, strict=True), (end, None)):
        both = min(at - i, other - j)
        for step in range(both):
            is_equal = left.lines[i + step] == right.lines[j + step]
            yield SideRow("equal" if is_equal else "apart", i + step, j + step)
        for line in range(i + both, at):
            yield SideRow("left", line, None)
        for line in range(j + both, other):
            yield SideRow("right", None, line)
        if found is not None:
            yield SideRow(found.kind, at, other, found.left, found.right)
        i, j = at + 1, other + 1
