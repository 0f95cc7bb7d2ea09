"""Which lines of two programs belong together: those pairs, in order, that share as many tokens as possible.

Time and memory are bounded: so many pairs of lines are looked at, and what is more is paired by equal lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import NamedTuple

from auditor.compare.alignment import Block, align
from auditor.compare.program_tokens import STATEMENTS, ProgramTokens, renamed_texts

_CELLS = 40_000
"""Pairs of lines that are looked at one by one, in all."""
_ENOUGH = 0.5
"""Share of their tokens that two lines must have in common to be a pair."""
_OTHER_NAME = 0.4
"""What a token counts that is a name of its own in both lines, but not the same one …"""
_SIGN = 0.25
"""… and what a bracket, comma or operator does; every other token counts 1."""
_OTHER_STATEMENT = 0.75
"""Of what two lines share that are statements of two kinds, such as `return` and an assignment."""
_EQUAL = 4.0
"""How much more an equal line counts: two that are alike do not come between equal ones."""
_TELLING = 8
"""Characters from which on a line tells where it is: shorter ones stand in every program."""
_LONG = "the programs are long: lines are paired where they are equal but for names"


class LinePairs(NamedTuple):
    """Pairs of lines, counted from 0, in order."""

    pairs: list[tuple[int, int]]
    reason: str | None
    """Why there may be better ones; None where all were looked at."""


class _Bag(NamedTuple):
    """What decides how much two lines share."""

    texts: Counter[str]
    own: Counter[str]
    """Those that are names of the program's own."""
    weight: float
    statement: str
    """The word that it begins with, where that says what it does."""
    line: str
    indent: int


class ProgramSide:
    """One of the programs, with its names as the other one has them."""

    def __init__(
        self,
        tokens: ProgramTokens,
        other: ProgramTokens,
        renamed: Mapping[str, str],
        renamed_there: Mapping[str, str] | None = None,
    ) -> None:
        """`renamed` are this program's names by what the other calls them, `renamed_there` those of the other."""
        self.lines = tokens.lines
        self._tokens = tokens
        self._renamed = renamed
        self._own = frozenset(renamed.get(name, name) for name in tokens.own_names)
        known = {*renamed.values(), *(renamed_there or {}).values(), *other.names}
        self._strange = self._own - known
        """Own names that the other program does not have."""
        self._bags: dict[int, _Bag] = {}

    def texts(self, line: int) -> list[str]:
        """Return the tokens of a line as the other program spells them."""
        return renamed_texts(self._tokens.of(line), self._renamed)

    def key(self, line: int) -> str:
        """Return what lines that are equal but for names, white space aside, have in common."""
        return " ".join("\0" if text in self._strange else text for text in self.texts(line))

    def bag(self, line: int) -> _Bag:
        """Return what decides how much a line shares with others."""
        if line not in self._bags:
            texts = self.texts(line)
            own = Counter(text for text in texts if text in self._own)
            text = self.lines[line]
            indent = len(text) - len(text.lstrip())
            statement = texts[0] if texts and texts[0] in STATEMENTS else ""
            self._bags[line] = _Bag(Counter(texts), own, sum(map(_weight, texts)), statement, text, indent)
        return self._bags[line]


def pair_lines(left: ProgramSide, right: ProgramSide, seconds: float) -> LinePairs:
    """Pair the lines of two programs; equal lines of long ones are looked for so many seconds."""
    pairing = _Pairing(left, right, seconds)
    n, m = len(left.lines), len(right.lines)
    return LinePairs(list(pairing.pairs(0, n, 0, m)), pairing.reason)


class _Pairing:
    """Finds pairs of lines, in order."""

    def __init__(self, left: ProgramSide, right: ProgramSide, seconds: float) -> None:
        self._left, self._right = left, right
        self._seconds = seconds
        self._cells = _CELLS
        self._scores: dict[tuple[str, str], float] = {}
        self.reason: str | None = None

    def pairs(self, start: int, stop: int, first: int, last: int, depth: int = 0) -> Iterator[tuple[int, int]]:
        """Pair the lines `start:stop` with `first:last`.

        Too many of them are divided by lines that are equal, then by those that are equal but for names.
        """
        if (stop - start) * (last - first) <= self._cells:
            yield from self._best(start, stop, first, last)
            return
        if depth == 2:
            self.reason = self.reason or _LONG
            return
        blocks = self._equal_lines(range(start, stop), range(first, last), as_keys=depth > 0)
        i, j = start, first
        for block in (*blocks, Block(stop, last, 0)):
            yield from self.pairs(i, block.left, j, block.right, depth + 1)
            yield from ((block.left + step, block.right + step) for step in range(block.length))
            i, j = block.left + block.length, block.right + block.length

    def _equal_lines(self, left: range, right: range, *, as_keys: bool) -> list[Block]:
        """Return stretches of lines that are equal but for white space, or for names too; each has one that tells."""
        one, other = (
            {at: side.key(at) if as_keys else side.lines[at].strip() for at in places}
            for side, places in ((self._left, left), (self._right, right))
        )
        telling = [[at for at, text in texts.items() if len(text) >= _TELLING] for texts in (one, other)]
        texts = [one[at] for at in telling[0]], [other[at] for at in telling[1]]
        found, reached = align(*texts, monotonic() + self._seconds)
        if reached is not None:
            self.reason = f"stopped after {self._seconds:g} s: lines that are equal may stand apart"
        blocks: list[Block] = []
        i, j = left.start, right.start
        for block in found:
            for step in range(block.length):
                at, at_other = telling[0][block.left + step], telling[1][block.right + step]
                if at < i or at_other < j:
                    continue  # the stretch before went over it
                begin, begin_other = at, at_other
                while begin > i and begin_other > j and one[begin - 1] == other[begin_other - 1]:
                    begin, begin_other = begin - 1, begin_other - 1
                i, j = at + 1, at_other + 1
                while i < left.stop and j < right.stop and one[i] == other[j]:
                    i, j = i + 1, j + 1
                blocks.append(Block(begin, begin_other, i - begin))
        return blocks

    def _best(self, start: int, stop: int, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Pair lines so that they share most: each pair of them is looked at."""
        n, m = stop - start, last - first
        self._cells -= n * m
        scores = [[self._score(start + i, first + j) for j in range(m)] for i in range(n)]
        best = [[0.0] * (m + 1)]
        for row in scores:
            above, here = best[-1], [0.0]
            for j, score in enumerate(row):
                here.append(max(above[j + 1], here[j], above[j] + score if score else 0.0))
            best.append(here)
        found = []
        i, j = n, m
        while i and j:
            score = scores[i - 1][j - 1]
            if score and best[i][j] == best[i - 1][j - 1] + score:
                i, j = i - 1, j - 1
                found.append((start + i, first + j))
            elif best[i][j] == best[i][j - 1]:
                j -= 1
            else:
                i -= 1
        yield from reversed(found)

    def _score(self, i: int, j: int) -> float:
        """Return how much two lines share; 0 where that is too little for a pair."""
        left, right = self._left.bag(i), self._right.bag(j)
        key = left.line, right.line
        score = self._scores.get(key)
        if score is None:
            score = self._scores[key] = _shared(left, right)
        # Of lines that share as much, those in the same depth belong together.
        return score + 0.1 if score and left.indent == right.indent else score


def _shared(left: _Bag, right: _Bag) -> float:
    if left.line == right.line:
        return _EQUAL * left.weight + 1.0 if left.weight else 0.5
    if not left.weight or not right.weight:
        return 0.0 if left.weight or right.weight else 0.4
    same = sum(min(count, right.texts[text]) * _weight(text) for text, count in left.texts.items())
    left_own = sum(max(0, count - right.texts[text]) for text, count in left.own.items())
    right_own = sum(max(0, count - left.texts[text]) for text, count in right.own.items())
    shared = same + _OTHER_NAME * min(left_own, right_own)
    share = 2 * shared / (left.weight + right.weight)
    if left.statement != right.statement:
        share *= _OTHER_STATEMENT
    return shared * share if share >= _ENOUGH else 0.0


def _weight(token: str) -> float:
    return 1.0 if token[0].isalnum() or token[0] in "_\"'" else _SIGN
