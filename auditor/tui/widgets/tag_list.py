"""The tags of a codebook, one a row, with the one that is looked at; and beside them all that is written of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.message import Message

from auditor.codebook import Codebook, Tag
from auditor.text import counted, visible_line
from auditor.tui.column_widths import ColumnNeed, share_width
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.line_view import Beside, LineView
from auditor.tui.wrapping import shown_lines

_KEY_CELLS = 3
_USE_CELLS = 7
_LEAST_NAME, _LEAST_BESIDE, _GAP = 16, 12, 2


def listed_tags(book: Codebook) -> list[Tag]:
    """Return the tags in the order of the list: those in use, then the retired ones."""
    return [*book.active, *(tag for tag in book.tags if tag.retired)]


class TagList(LineView):
    """`▸ 1  arithmetic      Running the program   36`; retired tags are grey."""

    class Chosen(Message):
        """A row was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self) -> None:
        super().__init__(id="tag-list")
        self.gutter_width = 2
        self.index = 0
        self._tags: list[Tag] = []
        self._groups: dict[str, str] = {}
        self._uses: Mapping[str, int] = {}
        self._spans: list[tuple[RoleSpan, ...]] = []

    def show_book(self, book: Codebook, uses: Mapping[str, int], index: int) -> None:
        """Show the tags of a codebook with how many items carry each, and look at one of them."""
        self._tags, self._uses = listed_tags(book), uses
        self._groups = {group.id: visible_line(group.name, 60) for group in book.groups}
        self.index = index
        self.show_lines([""] * len(self._tags))
        self.go_to(index)

    def go_to(self, index: int) -> None:
        """Look at another tag, and keep its row on the screen."""
        self.index = index
        height, top = max(1, self.scrollable_content_region.height), self.scroll_offset.y
        if not top <= index < top + height:
            self.jump_to(index if index < top else index - height + 1)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self._tags):
            self.post_message(self.Chosen(index))

    def _wrap(self, lines: Sequence[str]) -> None:
        if self.text_width > 0:
            room = max(4, self.text_width - _KEY_CELLS - _USE_CELLS)
            shares = self._share(room)
            rows = [self._row(tag, room, *shares) for tag in self._tags]
            lines, self._spans = [text for text, _ in rows], [spans for _, spans in rows]
        super()._wrap(lines)

    def _row(self, tag: Tag, room: int, name_cells: int, beside_cells: int) -> tuple[str, tuple[RoleSpan, ...]]:
        """Lay a tag out for the width, never wider: one tag is one row."""
        key = visible_line(tag.key).ljust(_KEY_CELLS)
        use = str(self._uses.get(tag.id, 0)).rjust(_USE_CELLS)
        name = _fit(visible_line(tag.name), name_cells)
        beside = _fit(self._beside(tag), beside_cells)
        middle = set_cell_size(set_cell_size(name, name_cells + _GAP) + beside, room)
        text = set_cell_size(key + middle + use, self.text_width)
        name_end = len(key) + len(name)
        roles = ("off", "off", "off") if tag.retired else ("key", "", "muted")
        spans = (
            RoleSpan(0, len(key), roles[0]),
            RoleSpan(len(key), name_end, roles[1]),
            RoleSpan(name_end, len(text), roles[2]),
        )
        return text, spans

    def _beside(self, tag: Tag) -> str:
        """Return what stands beside a tag's name: its group, or what became of it."""
        return _fate(tag) if tag.retired else self._groups.get(tag.group or "", "")

    def _share(self, room: int) -> tuple[int, int]:
        """Share a width out between names and what stands beside them; 0 = left out."""
        names = max((cell_len(visible_line(tag.name)) for tag in self._tags), default=1)
        beside = max((cell_len(self._beside(tag)) for tag in self._tags), default=0)
        needs = (ColumnNeed(names, min(names, _LEAST_NAME), 3), ColumnNeed(beside, _LEAST_BESIDE, 2, rank=1))
        name, group = share_width(needs, room - 1, _GAP)
        return name or max(1, room - 1), group or 0

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        if line == self.index:
            return (RoleSpan(0, len(self.lines[line]), "here"),)
        return self._spans[line]

    def gutter_of(self, line: int) -> Beside:
        return Beside("▸" if line == self.index else "")

    @property
    def extent(self) -> str:
        first, last = self.visible_lines()
        return f"{first}-{last} of {counted(len(self._tags), 'tag')}" if self.is_cut else "key, name, items"


class TagDetail(LineView):
    """All that is written of one tag."""

    def __init__(self) -> None:
        super().__init__(id="tag-detail")
        self._spans: list[tuple[RoleSpan, ...]] = []

    def show_tag(self, book: Codebook, tag: Tag) -> None:
        """Show a tag."""
        lines = list(_detail_lines(book, tag))
        self._spans = [
            (RoleSpan(0, len(label), role), RoleSpan(len(label), len(label) + len(text), "" if label else role))
            for label, text, role in lines
        ]
        self.show_lines([label + text for label, text, _ in lines])

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._spans[line]

    @property
    def extent(self) -> str:
        first, last = self.visible_lines()
        return f"{first}-{last} of {len(self.lines)} lines" if self.is_cut else ""


def _detail_lines(book: Codebook, tag: Tag) -> Iterator[tuple[str, str, str]]:
    """Return lines as (label, text, role of the label, or of the text without one)."""
    groups = {group.id: group for group in book.groups}
    yield "", visible_line(tag.name), "title"
    yield "id ", visible_line(tag.id) + (f" (formerly {', '.join(tag.formerly)})" if tag.formerly else ""), "muted"
    if (group := groups.get(tag.group or "")) is not None:
        yield "group ", visible_line(group.name) + (" (at most one of these)" if group.exclusive else ""), "muted"
    if tag.exclusive:
        yield "", "stands alone: no other tag with it", "muted"
    if tag.retired:
        yield "", f"retired {_fate(tag)}".strip(), "warning"
    merged = [one.id for one in book.tags if one.id != tag.id and book.counts_as[one.id] == tag.id]
    if merged:
        yield "counted with it: ", ", ".join(merged), "muted"
    for label, text in (("", tag.definition), ("Rule: ", tag.decision_rule), ("Example: ", tag.example)):
        if text:
            yield "", "", ""
            for number, line in enumerate(shown_lines(text.rstrip("\n"))):
                yield "" if number else label, line, "" if number or not label else "muted"


def _fate(tag: Tag) -> str:
    """Say what took the place of a retired tag."""
    if tag.merged_into is not None:
        return f"→ {tag.merged_into}"
    return f"→ {', '.join(tag.split_into)}" if tag.split_into else ""


def _fit(text: str, cells: int) -> str:
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, cells - 1).rstrip() + "…" if cells > 1 else ""
