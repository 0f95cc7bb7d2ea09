"""Which lines of a long program fold to one row each: values in, values out, no widget. Nothing of it is executed.

Blocks are found by braces in the languages that have them, by indentation in all others. Text that is no program of its
language, or ends in the middle of one, folds somehow: every line is shown or in exactly one fold in any case.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

AROUND = 3
"""Lines before and behind the checkpoint's that are never folded."""
_SMALLEST_BLOCK = 3
_SMALLEST_STRETCH = 8
"""Lines that are no block of their own: fewer of them are not worth a fold."""
_SCANNED_CHARACTERS = 200_000
"""Longer programs are not looked through for strings and brackets: indentation alone decides."""
_HEADING_CHARACTERS = 300

_BRACES = frozenset({"c", "cpp", "cstar", "java", "javascript", "rust", "go"})
_LOOP = re.compile(r"(?:\w+\s*:\s*)?(?:}\s*)?(?:async\s+)?(?:for|while|do|loop|until)\b")
"""Begins the heading of a loop, whatever the language."""
_LINE_COMMENTS = ("#", "//")
_PYTHON_TOKENS = re.compile(
    r"""(?P<text>\"{3}(?:[^"\\]|\\.|"(?!\"\"))*(?:\"{3}|\Z)|'{3}(?:[^'\\]|\\.|'(?!''))*(?:'{3}|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?P<comment>\#[^\n]*)|(?P<open>[(\[{])|(?P<close>[)\]}])"""
    r"""|(?P<newline>\n)""",
    re.DOTALL,
)
_BRACE_TOKENS = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`[^`]*`?)|(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"""
    r"""|(?P<open>{)|(?P<close>})|(?P<newline>\n)""",
    re.DOTALL,
)


class Fold(NamedTuple):
    """Lines `start:end`, counted from 0, that are one row; `heading` is the first of them that says something."""

    start: int
    end: int
    heading: str

    @property
    def words(self) -> str:
        """Return what stands in their row: `⋯ 42 lines: def solve(n):`."""
        lines = f"⋯ {self.end - self.start:,} lines"
        return f"{lines}: {self.heading}" if self.heading else lines


class _Block(NamedTuple):
    """A statement and what belongs to it."""

    start: int
    end: int
    head: int
    """Its first line that is no decorator."""


def fold_lines(
    lines: Sequence[str],
    language: str,
    checkpoint: int | None = None,
    room: int | None = None,
    chosen: int | None = None,
) -> tuple[Fold, ...]:
    """Return the folds of a program, in order.

    The line of the checkpoint, counted from 0, those around it, the loop that it is in or stands behind, and the
    headings of all that it is in are never folded. `room` is a number of rows: what is furthest from the checkpoint
    folds first, and no more than is needed for the rest to fit. The line that a person chose stays as the checkpoint
    does, and stands for it where there is none. Without either only whole blocks fold. With `room` and without a
    checkpoint nothing folds.
    """
    staying = [line for line in (checkpoint, chosen) if line is not None and 0 <= line < len(lines)]
    if room is not None and (checkpoint not in staying or len(lines) <= room):
        return ()
    blocks = _blocks(lines, language)
    if not staying:
        return tuple(_outline(lines, blocks))
    kept = sorted({line for one in staying for line in _kept(lines, blocks, one)})
    whole = list(_block_folds(lines, blocks, kept))
    folds = sorted([*whole, *_stretch_folds(lines, blocks, whole, kept)])
    if room is None:
        return tuple(folds)
    rows, needed = len(lines), []
    for fold in sorted(folds, key=lambda fold: (-_distance(fold, staying[0]), fold)):
        if rows <= room:
            break
        rows -= fold.end - fold.start - 1
        needed.append(fold)
    return tuple(sorted(needed))


def _distance(fold: Fold, line: int) -> int:
    return fold.start - line if fold.start > line else line - fold.end


# --- what is folded ------------------------------------------------------------------------------------------------


def _kept(lines: Sequence[str], blocks: Sequence[_Block], checkpoint: int) -> set[int]:
    """Return the lines that stay: around the checkpoint, its loop, and the heads of what it is in."""
    kept = set(range(max(0, checkpoint - AROUND), min(len(lines), checkpoint + AROUND + 1)))
    around = [block for block in blocks if block.start <= checkpoint < block.end]
    loops = [block for block in around if _is_loop(lines, block)]
    if not loops:
        # A checkpoint after a loop stands right behind it.
        loops = [block for block in blocks if 0 <= checkpoint - block.end < AROUND and _is_loop(lines, block)]
    if loops:
        loop = max(loops, key=lambda block: block.start)
        kept.update(range(loop.start, loop.end))
    for block in around:
        kept.update(range(block.start, block.head + 1))
    return kept


def _is_loop(lines: Sequence[str], block: _Block) -> bool:
    return _LOOP.match(lines[block.head].strip()) is not None


def _block_folds(lines: Sequence[str], blocks: Sequence[_Block], kept: Sequence[int]) -> Iterator[Fold]:
    """Fold each block that holds nothing that stays, with the empty lines behind it."""
    at = 0
    for block in blocks:
        if block.start < at or block.end - block.start < _SMALLEST_BLOCK or _any_within(kept, block.start, block.end):
            continue
        end = block.end
        while end < len(lines) and not lines[end].strip() and not _any_within(kept, end, end + 1):
            end += 1
        yield Fold(block.start, end, _heading(lines[block.head]))
        at = end


def _stretch_folds(
    lines: Sequence[str], blocks: Sequence[_Block], folds: Sequence[Fold], kept: Sequence[int]
) -> Iterator[Fold]:
    """Fold long stretches of lines that are in no folded block."""
    heads = (
        line
        for block in blocks
        if _any_within(kept, block.start, block.end)
        for line in range(block.start, block.head + 1)
    )
    shown = sorted({*kept, *heads})
    at = 0
    for fold in (*folds, Fold(len(lines), len(lines), "")):
        start = at
        for end in (*shown[bisect_left(shown, at) : bisect_left(shown, fold.start)], fold.start):
            if end - start >= _SMALLEST_STRETCH:
                telling = (line for line in lines[start:end] if any(map(str.isalnum, line)))
                yield Fold(start, end, _heading(next(telling, "")))
            start = end + 1
        at = fold.end


def _outline(lines: Sequence[str], blocks: Sequence[_Block]) -> list[Fold]:
    """Fold whole blocks so that something stays: a program that is one block keeps its heading."""
    kept: list[int] = []
    while True:
        folds = list(_block_folds(lines, blocks, kept))
        if len(folds) != 1 or any(line.strip() for line in (*lines[: folds[0].start], *lines[folds[0].end :])):
            return folds
        (whole,) = folds
        head = next(block.head for block in blocks if block.start == whole.start)
        kept = list(range(head + 1))


def _heading(line: str) -> str:
    heading = line.strip()
    return heading if len(heading) <= _HEADING_CHARACTERS else heading[: _HEADING_CHARACTERS - 1] + "…"


def _any_within(places: Sequence[int], start: int, end: int) -> bool:
    """Say whether one of some places, which are in order, is in a range."""
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end


# --- blocks --------------------------------------------------------------------------------------------------------


def _blocks(lines: Sequence[str], language: str) -> list[_Block]:
    """Return all blocks, outer ones before those in them; any two are apart or one within the other."""
    scanned = sum(map(len, lines)) <= _SCANNED_CHARACTERS
    if language.partition(":")[0] in _BRACES and scanned:
        found = _by_braces(lines)
    else:
        inside = _continued(lines) if language == "python" and scanned else frozenset()
        found = _by_indentation(lines, inside)
    nested: list[_Block] = []
    open_ends: list[int] = []
    for block in sorted(set(found), key=lambda block: (block.start, -block.end, block.head)):
        while open_ends and open_ends[-1] <= block.start:
            open_ends.pop()
        if not open_ends or block.end <= open_ends[-1]:
            nested.append(block)
            open_ends.append(block.end)
    return nested


def _continued(lines: Sequence[str]) -> frozenset[int]:
    """Return the lines of Python that begin within a string or within brackets."""
    inside, line, depth = set(), 0, 0
    for token in _PYTHON_TOKENS.finditer("\n".join(lines)):
        match token.lastgroup:
            case "newline":
                line += 1
                if depth:
                    inside.add(line)
            case "text":
                breaks = token.group().count("\n")
                inside.update(range(line + 1, line + breaks + 1))
                line += breaks
            case "open":
                depth += 1
            case "close":
                depth = max(0, depth - 1)
    # A bracket that is never closed would take in all that follows.
    return frozenset() if depth else frozenset(inside)


def _by_indentation(lines: Sequence[str], inside: frozenset[int]) -> Iterator[_Block]:
    """Find what is indented further than the line above it, and statements that take several lines."""
    open_: list[tuple[int, int, int]] = []  # indentation, first line with its decorators, first line without
    last, decorators = 0, None
    for number, line in enumerate(lines):
        text = line.lstrip()
        if number in inside:
            last = number + 1
            continue
        if not text or text.startswith(_LINE_COMMENTS):
            continue  # it belongs to what goes on behind it, however far it is indented
        indent = len(line) - len(text)
        while open_ and open_[-1][0] >= indent:
            _, start, head = open_.pop()
            if last > start + 1:
                yield _Block(start, last, head)
        if text.startswith("@"):
            decorators = number if decorators is None else decorators
        else:
            open_.append((indent, number if decorators is None else decorators, number))
            decorators = None
        last = number + 1
    for _, start, head in reversed(open_):
        if last > start + 1:
            yield _Block(start, last, head)


def _by_braces(lines: Sequence[str]) -> Iterator[_Block]:
    """Find pairs of braces on different lines; a brace that stands alone belongs to the line above."""
    pairs = list(_brace_pairs(lines))
    begins = {first for first, _ in pairs}
    for first, last in pairs:
        start = first
        if lines[first].lstrip().startswith("{"):
            above = next((n for n in range(first - 1, -1, -1) if lines[n].strip()), first)
            start = first if lines[above].rstrip().endswith((";", "}", "{")) else above
        # In `} else {` the line belongs to what it begins.
        yield _Block(start, last if last in begins else last + 1, start)


def _brace_pairs(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Return the lines of braces that belong together, unless they are on one line."""
    line, open_ = 0, []
    for token in _BRACE_TOKENS.finditer("\n".join(lines)):
        match token.lastgroup:
            case "newline":
                line += 1
            case "open":
                open_.append(line)
            case "close" if open_:
                first = open_.pop()
                if first != line:
                    yield first, line
            case "text" | "comment":
                line += token.group().count("\n")
