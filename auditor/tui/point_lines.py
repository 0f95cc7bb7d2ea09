"""Code points as lines for a width: oracle and prediction beside each other, or above each other where it is narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from auditor.compare.aligned_points import AlignedPoints, PointPair, aligned_points, count_differences
from auditor.compare.code_points import CodePoint
from auditor.compare.fields import FieldRow, field_rows
from auditor.compare.text_diff import TextDiff, diff_text
from auditor.text import counted, has_invisible, visible_line
from auditor.tui.marked_lines import Comparison, MarkedLine, RoleSpan
from auditor.tui.short_names import end_cut

_SIDE_BY_SIDE = 96
"""Cells from which on both texts have room beside each other."""
_CHARACTER_CELLS = 4
_CODE_CELLS = 8
_UNSEEN = "▯"
"""Stands for a character that draws nothing of its own, or would move what is around it."""
_INVISIBLE = "!"
_SHOWN_SPACES = {" ": "␠"}


class PointLines(NamedTuple):
    """What the view shows of one difference."""

    lines: tuple[MarkedLine, ...]
    opens_at: int
    """The line at which the difference begins."""


class ComparedTexts(NamedTuple):
    """The two texts in which a difference of a comparison is, and which of their differences it is."""

    label: str
    """The field's name; empty for whole texts."""
    oracle: str
    prediction: str
    diff: TextDiff
    nth: int


def compared_texts(oracle: str, prediction: str, comparison: Comparison, at: int) -> ComparedTexts | None:
    """Return what a difference of a comparison is a difference of; None when there is no such difference."""
    if comparison.diff is not None:
        there = at < count_differences(comparison.diff)
        return ComparedTexts("", *comparison.texts, comparison.diff, at) if there else None
    rows = [row for row in field_rows(oracle, prediction).rows if row.state != "equal"]
    return _of_field(rows[at]) if at < len(rows) else None


def _of_field(row: FieldRow) -> ComparedTexts | None:
    """Compare a field's values as they are written; values of another type can be written the same."""
    oracle, prediction = row.oracle or "", row.prediction or ""
    diff = diff_text(oracle, prediction)
    return ComparedTexts(row.field, oracle, prediction, diff, 0) if count_differences(diff) else None


def point_lines(texts: ComparedTexts, width: int) -> PointLines:
    """Lay out the code points around a difference for lines of a number of cells."""
    points = aligned_points(texts.oracle, texts.prediction, texts.diff, texts.nth)
    side_by_side = width >= _SIDE_BY_SIDE
    lines = [*_head(texts, points, width), *([_column_names(width)] if side_by_side else [])]
    opens_at = len(lines)
    digits = max((len(str(point.offset)) for pair in points.pairs for point in pair[:2] if point), default=1)
    for number, pair in enumerate(points.pairs):
        if number == points.first:
            opens_at = len(lines)
        lines += [_beside(pair, digits, width)] if side_by_side else _above(pair, digits, width)
    return PointLines(tuple(lines), opens_at)


def _head(texts: ComparedTexts, points: AlignedPoints, width: int) -> Iterator[MarkedLine]:
    sentences = [points.sentence] if points.sentence else []
    if texts.label:
        sentences.insert(0, f"field {texts.label}")
    if points.left_out:
        sentences.append(f"{counted(points.left_out, 'more character')} of this difference not shown")
    if not texts.diff.exact:
        sentences.append(f"difference not exact: {texts.diff.reason}")
    for sentence in sentences:
        text = visible_line(sentence)
        yield MarkedLine(text, "!", "warning", (RoleSpan(0, len(text), "warning"),))


def _column_names(width: int) -> MarkedLine:
    side = (width - 2) // 2
    text = set_cell_size("- oracle", side) + "  + prediction"
    return MarkedLine(text, spans=(RoleSpan(0, side, "oracle"), RoleSpan(side, len(text), "prediction")))


def _mark(pair: PointPair) -> str:
    return ("≈" if pair.alike else "≠") if pair.differs else " "


def _beside(pair: PointPair, digits: int, width: int) -> MarkedLine:
    side = (width - 2) // 2
    left, left_spans = _cells_of(pair.oracle, digits, side, 0, "oracle", pair)
    left = set_cell_size(left, side)
    right, right_spans = _cells_of(pair.prediction, digits, side, len(left) + 2, "prediction", pair)
    return MarkedLine(f"{left}  {right}", _mark(pair), "warning", (*left_spans, *right_spans))


def _above(pair: PointPair, digits: int, width: int) -> list[MarkedLine]:
    """One line where both have the same character, else a line of each text."""
    if not pair.differs:
        text, spans = _cells_of(pair.oracle, digits, width, 0, "equal", pair)
        return [MarkedLine(text, "=", "oracle", tuple(spans))]
    lines = []
    for point, mark, role in ((pair.oracle, "-", "oracle"), (pair.prediction, "+", "prediction")):
        text, spans = _cells_of(point, digits, width - 2, 2, role, pair)
        lines.append(MarkedLine(f"{mark} {text}", _mark(pair), "warning", (RoleSpan(0, 2, role), *spans)))
    return lines


def _cells_of(
    point: CodePoint | None, digits: int, width: int, at: int, role: str, pair: PointPair
) -> tuple[str, list[RoleSpan]]:
    """Return `  13  5  U+0035  DIGIT FIVE`, and its spans when it stands at a place of its line."""
    if point is None:
        text = set_cell_size(f"{' ' * digits}  (nothing)", width).rstrip()
        return text, [RoleSpan(at, at + len(text), "muted")]
    unseen = has_invisible(chr(int(point.code[2:], 16)))
    shown = _SHOWN_SPACES.get(point.shown, point.shown)
    shown = _UNSEEN if unseen and len(shown) > 1 else shown
    offset = str(point.offset).rjust(digits)
    code = f"{_INVISIBLE if unseen else ' '}{point.code.ljust(_CODE_CELLS)}"
    head = f"{offset}  {shown}{' ' * max(1, _CHARACTER_CELLS - cell_len(shown))}"
    text = end_cut(f"{head}{code} {point.name}", width)
    changed = f"{role}-changed" if pair.differs else role
    spans = [
        RoleSpan(at, at + digits, "gutter"),
        RoleSpan(at + digits, at + len(head), changed),
        RoleSpan(at + len(head), at + len(text), "warning" if unseen else role),
    ]
    return text, spans
