"""Two texts above each other: what both share once, what differs as pairs of lines, long lines cut into short pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from rich.cells import cell_len

from auditor.compare.text_diff import Piece
from auditor.text import visible
from auditor.tui.cell_widths import cell_widths
from auditor.tui.marked_lines import MarkedLine, Place, RoleSpan
from auditor.tui.wrapping import TAB_MARK, TAB_WIDTH, shown_lines

_NARROWEST = 12
"""Cells of a row that every single character fits into, the mark of an invisible one included."""
_NEWLINE = "␊"
_LAYOUT_CELLS = {"\n": 1, "\t": TAB_WIDTH}
"""The most cells that the mark of each takes."""
_SPACE = "␠"
_SIDES = (("-", "oracle"), ("+", "prediction"))
_SPACES_BEFORE_NEWLINE = re.compile(r" +(?=\n)")
_SPACES_AT_END = re.compile(r" +(?=\n|\Z)")


class _Step(NamedTuple):
    """A stretch of a pair of lines; where it is shared, both sides are the same text."""

    oracle: str
    prediction: str
    shared: bool
    begins: bool = True
    """Whether it is no later part of a stretch that was cut."""
    number: int = -1
    """Of the difference, from 0; -1 where it is none: shared, or only spelled differently."""


@dataclass(slots=True)
class _Block:
    """Lines of both texts up to the next newline that they share."""

    steps: list[_Step] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        return any(not step.shared for step in self.steps)


def whole_text(text: str, mark: str, role: str) -> list[MarkedLine]:
    """Return the lines of one text alone."""
    return [MarkedLine(line, mark, role, (RoleSpan(0, len(line), role),)) for line in _without_last_empty(text)]


MOST_ROWS = 5_000
"""So many pairs of differing rows are laid out; nobody scrolls through more, and millions of them take minutes."""


class TextLines(NamedTuple):
    """The rows that show a difference."""

    lines: list[MarkedLine]
    places: list[Place]
    """Of each changed piece in the lines."""
    cut: bool
    """Whether there are more than are laid out."""


def lines_apart(oracle: str, prediction: str) -> TextLines:
    """Lay out two texts of which no row has a counterpart, whole below each other: one difference."""
    lines = whole_text(oracle, "-", "oracle") + whole_text(prediction, "+", "prediction")
    return TextLines(lines[: 2 * MOST_ROWS], [Place(0)], len(lines) > 2 * MOST_ROWS)


def text_lines(oracle: str, prediction: str, pieces: Sequence[Piece], width: int) -> TextLines:
    """Lay out the rows that show a difference: all that both texts share, and MOST_ROWS pairs of those that differ."""
    lines: list[MarkedLine] = []
    places: list[Place] = []
    blocks = _blocks(oracle, prediction, pieces)
    block = next(blocks, None)
    room = MOST_ROWS
    while block is not None:
        following = next(blocks, None)
        if not block.differs:
            text = "".join(step.oracle for step in block.steps)
            if text or following is not None:
                lines.append(MarkedLine(_shown(text, 0), "=", "oracle"))
        else:
            block.steps = _with_marked_spaces(block.steps)
            pairs: list[_Pair] = []
            for pair in _pairs(block, max(_NARROWEST, width)):
                room -= not pair.shared
                if room < 0:
                    break
                pairs.append(pair)
            # Where the texts share nothing, no row has a counterpart: the oracle's stand first, then the prediction's.
            runs = [pairs] if len(pieces) == 1 and pairs else list(_runs(pairs))
            for run in runs:
                _add_run(run, lines, places, block if run is runs[-1] and following is not None else None)
            if room < 0:
                return TextLines(lines, places, True)
        block = following
    return TextLines(lines, places, False)


def _without_last_empty(text: str) -> list[str]:
    """Split a text into shown lines; a final newline ends its line and begins no other."""
    lines = shown_lines(text)
    return lines[:-1] if len(lines) > 1 and lines[-1] == "" else lines


def _blocks(oracle: str, prediction: str, pieces: Sequence[Piece]) -> Iterator[_Block]:
    block = _Block()
    numbers = count()
    for piece in pieces:
        if piece.kind != "equal":
            sides = oracle[slice(*piece.oracle)], prediction[slice(*piece.prediction)]
            block.steps.append(_Step(*sides, False, number=next(numbers) if piece.counts else -1))
            continue
        first, *others = oracle[slice(*piece.oracle)].split("\n")
        block.steps.append(_Step(first, first, True))
        for line in others:
            yield block
            block = _Block([_Step(line, line, True)])
    yield block


def _with_marked_spaces(steps: Sequence[_Step]) -> list[_Step]:
    """Mark the spaces of changed stretches where only white space differs, or where they end a line."""
    marked = []
    for number, step in enumerate(steps):
        if step.number >= 0 and " " in step.oracle + step.prediction:
            if "".join(step.oracle.split()) == "".join(step.prediction.split()):
                step = step._replace(
                    oracle=step.oracle.replace(" ", _SPACE), prediction=step.prediction.replace(" ", _SPACE)
                )
            else:
                ends_line = not any(later.oracle or later.prediction for later in steps[number + 1 :])
                trailing = _SPACES_AT_END if ends_line else _SPACES_BEFORE_NEWLINE
                step = step._replace(
                    oracle=trailing.sub(_marked, step.oracle), prediction=trailing.sub(_marked, step.prediction)
                )
        marked.append(step)
    return marked


def _marked(spaces: re.Match[str]) -> str:
    return _SPACE * len(spaces.group())


class _Pair(NamedTuple):
    """Steps that fit on one row on each side."""

    steps: list[_Step]
    goes_on: bool

    @property
    def shared(self) -> bool:
        return all(step.shared for step in self.steps)

    @property
    def is_half(self) -> bool:
        """Say whether one side has nothing here."""
        return not any(step.oracle for step in self.steps) or not any(step.prediction for step in self.steps)


def _pairs(block: _Block, width: int) -> Iterator[_Pair]:
    """Cut a block into pairs of rows, each at most `width` cells wide on both sides."""
    steps: list[_Step] = []
    left = right = 0
    goes_on = False
    for step in block.steps:
        oracle_at = prediction_at = 0
        while oracle_at < len(step.oracle) or prediction_at < len(step.prediction):
            if step.shared:
                oracle_part = prediction_part = _fitting(step.oracle, oracle_at, width - max(left, right))
            else:
                oracle_part = _fitting(step.oracle, oracle_at, width - left)
                prediction_part = _fitting(step.prediction, prediction_at, width - right)
            if oracle_part or prediction_part:
                begins = not (oracle_at or prediction_at)
                steps.append(step._replace(oracle=oracle_part, prediction=prediction_part, begins=begins))
                left += _cells(oracle_part)
                right += _cells(prediction_part)
                oracle_at += len(oracle_part)
                prediction_at += len(prediction_part)
            if oracle_at < len(step.oracle) or prediction_at < len(step.prediction):
                yield _Pair(steps, goes_on)
                steps, left, right, goes_on = [], 0, 0, True
    if steps:
        yield _Pair(steps, goes_on)


def _fitting(text: str, start: int, room: int) -> str:
    """Return what surely fits of a text from a place on; a newline on one side ends its row."""
    part = text[start : start + max(0, room)]
    newline = part.find("\n")
    if newline >= 0:
        part = part[: newline + 1]
    body = part[:-1] if newline >= 0 else part
    if body.isascii() and body.isprintable():
        # A newline is drawn as a mark of one cell.
        return part
    used = 0
    for index, cells in enumerate(cell_widths(part)):
        used += _LAYOUT_CELLS.get(part[index]) or max(1, cells)
        if used > room:
            return part[:index]
    return part


def _cells(text: str) -> int:
    body = text.removesuffix("\n")
    if body.isascii() and body.isprintable():
        return len(text)
    return sum(cell_widths(text)) + text.count("\n") + TAB_WIDTH * text.count("\t")


def _runs(pairs: Sequence[_Pair]) -> Iterator[list[_Pair]]:
    """Group pairs that differ and follow each other, where one of them has nothing on a side; others stand alone."""
    run: list[_Pair] = []
    for pair in [*pairs, None]:
        if pair is not None and not pair.shared:
            run.append(pair)
            continue
        if any(each.is_half for each in run):
            yield run
        else:
            yield from ([each] for each in run)
        run = []
        if pair is not None:
            yield [pair]


def _add_run(run: Sequence[_Pair], lines: list[MarkedLine], places: list[Place], ends: _Block | None) -> None:
    """Add the rows of the oracle, then those of the prediction; a row without text only where its line begins.

    `ends` is the block that the run ends, when a shared newline follows it.
    """
    if run[0].shared:
        text = "".join(step.oracle for step in run[0].steps)
        lines.append(MarkedLine(_shown(text, 0), "=", "oracle", goes_on=run[0].goes_on))
        return
    found: dict[tuple[int, int], Place] = {}
    for side, (mark, role) in enumerate(_SIDES):
        for number, pair in enumerate(run):
            row = _row(pair, side, mark, role)
            if not row.line.text and (number or pair.goes_on):
                continue
            for step, at, shows in row.changed:
                # The first row of a single pair is the place; in a block the row where the stretch shows first.
                if shows or len(run) == 1:
                    found.setdefault((number, step), Place(len(lines), at))
            lines.append(row.line)
        if ends is not None and "".join(step.prediction if side else step.oracle for step in ends.steps).endswith("\n"):
            lines.append(MarkedLine("", mark, role))  # the empty line between its own newline and the shared one
    places += [place for _, place in sorted(found.items())]


class _Row(NamedTuple):
    line: MarkedLine
    changed: list[tuple[int, int, bool]]
    """Number of each step that begins to differ here, the character where it does, whether it has text."""


def _row(pair: _Pair, side: int, mark: str, role: str) -> _Row:
    """Lay out one side of a pair."""
    texts: list[str] = []
    spans: list[RoleSpan] = []
    changed: list[tuple[int, int, bool]] = []
    at = cells = 0
    for number, step in enumerate(pair.steps):
        own = step.prediction if side else step.oracle
        shown = _shown(own, cells)
        if shown:
            look = role if step.shared else "spelled" if step.number < 0 else f"{role}-changed"
            spans.append(RoleSpan(at, at + len(shown), look, step.number))
        if step.begins and step.number >= 0:
            changed.append((number, at, bool(shown)))
        texts.append(shown)
        at += len(shown)
        cells += cell_len(shown)
    return _Row(MarkedLine("".join(texts), mark, role, tuple(spans), pair.goes_on), changed)


def _shown(text: str, column: int) -> str:
    """Make a stretch visible that begins at a column: newlines as marks, tabs up to a stop."""
    shown = visible(text).replace("\n", _NEWLINE)
    if "\t" not in shown:
        return shown
    out = []
    for nth, piece in enumerate(shown.split("\t")):
        if nth:
            pad = TAB_WIDTH - column % TAB_WIDTH
            out.append(TAB_MARK + " " * (pad - 1))
            column += pad
        out.append(piece)
        column += cell_len(piece)
    return "".join(out)
