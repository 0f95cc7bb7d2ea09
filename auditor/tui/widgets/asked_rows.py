"""Probes of a run, a row each: who wrote it, depth, dimensions, line, moment, answer, question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from auditor.store.changes import OwnProbe
from auditor.text import visible_line, visible_name
from auditor.tui.short_names import end_cut, end_fit
from auditor.tui.styled import Styled, role_styles
from auditor.tui.widgets.row_view import CursorView

_SHOWN = 400
"""Characters of a text that are looked at; more never fit."""
_WIDEST_WHO, _WIDEST_MOMENT, _WIDEST_ANSWER = 14, 30, 14
_LEAST_QUESTION = 20
"""Cells below which a question would say nothing; the moment tells the rows apart."""


class AskedRow(NamedTuple):
    """A probe that is written, or could be."""

    probe: OwnProbe
    annotator: str | None = None
    """Who wrote it; None = it is proposed."""
    at: str = ""
    codebook: str = ""
    response_id: int = 0
    """The item at which it is written; 0 = at none."""
    is_own: bool = False
    is_asked: bool = False
    """Whether a study asks it already."""

    @property
    def who(self) -> str:
        """Return who wrote it, in short."""
        if self.annotator is None:
            return "in the study" if self.is_asked else "proposed"
        return "withdrawn" if self.probe.withdrawn else visible_name(self.annotator, _WIDEST_WHO)


def answer_shown(probe: OwnProbe) -> str:
    """Return an answer as JSON writes it, with its characters as they are."""
    return visible_line(json.dumps(json.loads(probe.answer), ensure_ascii=False), _SHOWN)


def moment_shown(probe: OwnProbe) -> str:
    """Return what is asked for, which time and of which variable: `value-at-visit 2 total`."""
    pieces = (probe.kind, "" if probe.n is None else f"{probe.n:,}", visible_line(probe.variable or "", _SHOWN))
    return " ".join(filter(None, pieces))


class AskedHead(Styled):
    """The names of the columns."""

    DEFAULT_CSS = """
    AskedHead { height: 1; }
    """

    who, moment, answer = 0, 0, 0
    """Cells of these columns."""

    def render_line(self, y: int) -> Strip:
        who, moment = set_cell_size("", self.who), set_cell_size("asked for", self.moment)
        words = f"  {who} depth dim. line  {moment}  {set_cell_size('answer', self.answer)}"
        words += "  question" if self.size.width - cell_len(words) - 2 >= _LEAST_QUESTION else ""
        return Strip([Segment(words, self.role_style("muted"))]).adjust_cell_length(self.size.width, self.base_style)


class AskedRows(CursorView):
    """`▸ ana        44  LSB   4  value-at-exit 1 best  5   When the loop in line 4 …`."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[AskedRow] = ()
        self._widths = (0, 0, 0)
        self._absent = ""
        self.head = AskedHead()
        """The names of the columns, above the rows."""

    @property
    def row(self) -> AskedRow | None:
        """Return the probe that the keys act on."""
        return self._rows[self.index] if self._rows else None

    @property
    def total(self) -> int:
        """Return how many rows there are."""
        return self._total

    def row_at(self, index: int) -> AskedRow:
        """Return the row at a place."""
        return self._rows[index]

    def show_rows(self, rows: Sequence[AskedRow], index: int, absent: str) -> None:
        """Show other rows, at one of them; their texts may be any. `absent` stands there when there is none."""
        self._rows, self._total, self._absent = rows, len(rows), absent
        who = max((cell_len(row.who) for row in rows), default=0)
        answer = max((cell_len(answer_shown(row.probe)) for row in rows), default=0)
        moment = max((cell_len(moment_shown(row.probe)) for row in rows), default=0)
        self._widths = (min(who, _WIDEST_WHO), max(9, min(moment, _WIDEST_MOMENT)), max(6, min(answer, _WIDEST_ANSWER)))
        self.head.who, self.head.moment, self.head.answer = self._widths
        self.head.refresh()
        self._set_size()
        self.go_to(index)

    def render_line(self, y: int) -> Strip:
        width, base = self.scrollable_content_region.width, self.base_style
        at = y + self.scroll_offset.y
        if not self._rows:
            words = self._absent if at == 0 else ""
            return Strip([Segment(f"  {words}", self.role_style("muted"))]).adjust_cell_length(width, base)
        if at >= self._total:
            return Strip.blank(width, base)
        row, here = self._rows[at], at == self.index
        ground = role_styles(self.app.theme_variables, self.app.no_color)["here"] if here else Style.null()
        who, moment, answer = self._widths
        role = "muted" if row.annotator is None or row.probe.withdrawn else "reviewed" if row.is_own else "strong"
        dimensions = "".join(name[:1] for name in row.probe.dimensions)
        about = f"{row.probe.depth:>5} {visible_line(dimensions, 4):<4} {row.probe.line:>4}"
        shown = end_fit(answer_shown(row.probe), answer)
        segments = [
            Segment("▸ " if here else "  ", base + ground),
            Segment(set_cell_size(row.who, who), self.role_style(role) + ground),
            Segment(f" {about}  {end_fit(moment_shown(row.probe), moment)}  {shown}  ", base + ground),
        ]
        room = width - sum(cell_len(segment.text) for segment in segments)
        if room >= _LEAST_QUESTION:
            question = end_cut(visible_line(row.probe.question, _SHOWN), room)
            segments.append(Segment(question, self.role_style("muted") + ground))
        return Strip(segments).adjust_cell_length(width, base + ground)
