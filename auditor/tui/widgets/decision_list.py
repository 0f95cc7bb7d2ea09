"""What is decided of an item: one row a tag with each annotator's mark, the decision and where it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.audit.rulings import Case, TagRow, describe_stale
from auditor.model import FIRST
from auditor.text import counted, visible_line, visible_name
from auditor.tui.column_widths import ColumnNeed, share_width
from auditor.tui.short_names import end_cut
from auditor.tui.styled import Styled, role_styles
from auditor.tui.widgets.row_view import CursorView

_SHOWN_TEXT = 400
"""Characters of a text that are looked at: more never fit."""
_GAP = 2
_LETTER_CELLS, _NAME_CELLS, _LEAST_TAG, _LEAST_VERDICT, _VERDICT_CELLS, _LEAST_WHY = 2, 24, 8, 9, 12, 8
_WHY_HEAD = "by whom, and why"
PUT, NOT_PUT = "✓", "·"
"""An annotator's marks; who has not reviewed the item has no column."""


class Columns(NamedTuple):
    """Cells of the columns; None = there is no room for it."""

    tag: int
    voices: tuple[int | None, ...]
    """Of each annotator."""
    verdict: int
    why: int | None

    @property
    def more(self) -> str:
        """Say how many annotators have no room; empty where all have."""
        return f"+{left}" if (left := self.voices.count(None)) else ""


def lay_out(width: int, names: Sequence[str], tag: int) -> Columns:
    """Share a width out; `tag` are the cells of the widest tag. The reasons have what the others leave."""
    needs = [ColumnNeed(max(_LEAST_TAG, tag), _LEAST_TAG, 3)]
    needs += [ColumnNeed(max(_LETTER_CELLS, min(_NAME_CELLS, cell_len(name))), _LETTER_CELLS, rank=1) for name in names]
    needs += [ColumnNeed(_VERDICT_CELLS, _LEAST_VERDICT, 3), ColumnNeed(width, _LEAST_WHY, 1, rank=2)]
    cells = share_width(needs, width - 3, _GAP)
    if None in cells[1:-2]:
        cells = share_width(needs, width - 3 - _GAP - len(f"+{len(names)}"), _GAP)
    return Columns(cells[0] or 0, cells[1:-2], cells[-2] or 0, cells[-1])


class DecisionHead(Styled):
    """The names of the columns."""

    DEFAULT_CSS = """
    DecisionHead { height: 1; }
    """

    def __init__(self, rows: DecisionList) -> None:
        super().__init__()
        self._rows = rows

    def render_line(self, y: int) -> Strip:
        columns = self._rows.columns
        texts = [("tag", columns.tag), *zip(self._rows.names, columns.voices, strict=True)]
        texts += [(columns.more, len(columns.more) or None), ("decision", columns.verdict), (_WHY_HEAD, columns.why)]
        words = (" " * _GAP).join(_filled(text, cells) for text, cells in texts if cells is not None)
        return Strip([Segment(f"   {words}", self.role_style("muted"))]).adjust_cell_length(
            self.size.width, self.base_style
        )


class Line(NamedTuple):
    """One row: a tag, or a sentence about several or by an annotator."""

    row: TagRow | None
    text: str = ""
    role: str = "muted"


class DecisionList(CursorView):
    """The tags that the annotators differ on, the others folded into one row, and the annotators' notes."""

    def __init__(self) -> None:
        super().__init__()
        self.head = DecisionHead(self)
        self._case: Case | None = None
        self.names: tuple[str, ...] = ()
        """What the annotators are called, visible."""
        self._lines: list[Line] = []
        self._widest_tag = 0

    @property
    def line(self) -> Line | None:
        """Return the row that the keys act on."""
        return self._lines[self.index] if self.index < len(self._lines) else None

    @property
    def nearest_tag(self) -> TagRow | None:
        """Return the tag of the row that the keys act on, or else of the last row above it that is one."""
        rows = (line.row for line in reversed(self._lines[: self.index + 1]))
        return next((row for row in rows if row is not None), None)

    @property
    def total(self) -> int:
        """Return how many rows there are."""
        return self._total

    @property
    def extent(self) -> str:
        """Count the tags, of which the folded row and the notes are none."""
        tags = [at for at, line in enumerate(self._lines) if line.row is not None]
        return f"{tags.index(self.index) + 1:,} of {len(tags):,}" if self.index in tags else counted(len(tags), "tag")

    def show_case(self, case: Case, names: Sequence[str], index: int, *, unfolded: bool, fold_key: str) -> None:
        """Show an item; `names` are what its annotators are called, in their order."""
        self._case, self.names = case, tuple(visible_name(name, 60) for name in names)
        self._lines = list(_lines(case, self.names, unfolded, fold_key))
        # Of all tags, so that the columns stand still from item to item.
        tags = (visible_line(row.tag.name, _SHOWN_TEXT) for row in case.rows)
        self._widest_tag = max(map(cell_len, tags), default=0)
        self._total = len(self._lines)
        self._set_size()
        self.head.refresh()
        self.go_to(index)

    def index_of(self, tag: str | None) -> int | None:
        """Return the row of a tag."""
        places = (at for at, line in enumerate(self._lines) if line.row is not None and line.row.tag.id == tag)
        return next(places, None)

    def needing(self, start: int = 0) -> int | None:
        """Return the first row from one on, around the end, that needs a decision."""
        order = [*range(start, len(self._lines)), *range(start)]
        return next((at for at in order if (row := self._lines[at].row) is not None and row.needs_decision), None)

    @property
    def columns(self) -> Columns:
        """Return the cells of the columns now."""
        return lay_out(self.scrollable_content_region.width, self.names, self._widest_tag)

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        index = y + self.scroll_offset.y
        if index >= len(self._lines) or self._case is None:
            return Strip.blank(width, base)
        here = index == self.index
        ground = role_styles(self.app.theme_variables, self.app.no_color)["here"] if here else Style.null()
        line = self._lines[index]
        segments = [Segment(" ▸ " if here else "   ", base + ground)]
        if line.row is None:
            text = end_cut(line.text, width - 3)
            segments.append(Segment(text, self.role_style(line.role) + ground))
        else:
            segments += self._cells(self._case, line.row, self.columns, ground)
        return Strip(segments).adjust_cell_length(width, base + ground)

    def _cells(self, case: Case, row: TagRow, columns: Columns, ground: Style) -> list[Segment]:
        quiet = "muted" if row.is_agreed else ""
        verdict, role = verdict_of(row)
        texts: list[tuple[str, int | None, str]] = [
            (visible_line(row.tag.name, _SHOWN_TEXT), columns.tag, quiet or "strong")
        ]
        for voice, put, cells in zip(case.voices, row.marks, columns.voices, strict=True):
            first = FIRST if put and voice.first_cause == row.tag.id else ""
            texts.append(((PUT if put else NOT_PUT) + first, cells, quiet or ("" if put else "muted")))
        texts += [("", len(columns.more) or None, ""), (verdict, columns.verdict, role)]
        why, role = _why(case, row, self.names)
        texts.append((why, columns.why, role))
        shown = [
            (_filled(text, cells), self.role_style(role) + ground) for text, cells, role in texts if cells is not None
        ]
        gap = Segment(" " * _GAP, self.base_style + ground)
        return [segment for text, style in shown for segment in (Segment(text, style), gap)]


def verdict_of(row: TagRow) -> tuple[str, str]:
    """Return what holds of a tag, in a word, and the role that it is drawn in."""
    if row.decision is None:
        if row.is_agreed:
            return ("present" if any(row.marks) else "absent"), "muted"
        return "≠ open", "warning"
    if row.is_stale:
        return f"! {row.decision.ruling.verdict}", "warning"
    role = "deferred" if row.decision.ruling.verdict == "unresolved" else "reviewed"
    return row.decision.ruling.verdict, role


def _why(case: Case, row: TagRow, names: Sequence[str]) -> tuple[str, str]:
    """Return where the decision comes from, and the role of these words."""
    if row.waiting:
        return f"your note, for the decision to come: {visible_line(row.waiting, _SHOWN_TEXT)}", ""
    if row.decision is None:
        group = f"one choice: {visible_line(row.group, 60)}" if row.one_of_group and not row.is_agreed else ""
        return " · ".join(filter(None, ("all agree" if row.is_agreed else group, _fate(case, row)))), "muted"
    note = visible_line(row.decision.ruling.note, _SHOWN_TEXT)
    by = visible_line(row.decision.adjudicator, 60)
    if row.is_stale:
        return f"stale: {describe_stale(case, row, names)} ({by}{': ' if note else ''}{note})", "warning"
    return f"{by}{': ' if note else ''}{note}", ""


def _fate(case: Case, row: TagRow) -> str:
    """Say that a tag is in use no more, and by what the codebook replaced it."""
    if not row.tag.retired:
        return ""
    names = {one.tag.id: one.tag.name for one in case.rows}
    parts = ", ".join(visible_line(names.get(part, part), 60) for part in row.tag.split_into)
    return f"was split into {parts}" if parts else "retired"


def _lines(case: Case, names: Sequence[str], unfolded: bool, fold_key: str) -> list[Line]:
    differing = [Line(row) for row in case.rows if not row.is_agreed or row.waiting]
    agreed = [row for row in case.rows if row.is_agreed and not row.waiting]
    lines = list(differing)
    if unfolded:
        lines += [Line(row) for row in agreed]
    elif agreed:
        put = [visible_line(row.tag.name, 60) for row in agreed if any(row.marks)]
        absent = len(agreed) - len(put)
        told = [f"present: {', '.join(put)}"] if put else []
        told += [f"{counted(absent, 'tag')} absent"] if absent else []
        key = f"   {fold_key} shows them" if fold_key else ""
        lines.append(Line(None, f"all agree on {len(agreed):,}: {'; '.join(told)}{key}"))
    for voice, name in zip(case.voices, names, strict=True):
        if voice.note:
            lines.append(Line(None, f"{name} notes: {visible_line(voice.note, _SHOWN_TEXT)}", ""))
    return lines


def _filled(text: str, cells: int) -> str:
    return set_cell_size(end_cut(text, cells), cells)
