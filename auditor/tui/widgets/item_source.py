"""The pane with an item's program: in the symbols that are wished for, and with the line that execution marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from auditor.audit.asked_probe import marked_place
from auditor.tui.mark_finder import MarkFinder, MarkFound
from auditor.tui.spelling import NEVER_SHOWN, OTHER_SPELLING, Spelling
from auditor.tui.widgets.item_text import source_words
from auditor.tui.widgets.pane import Pane
from auditor.tui.widgets.source_view import SourceView

if TYPE_CHECKING:
    from auditor.audit.cstar_item import CStarProgram, LineMark
    from auditor.audit.review import ReviewItem


class ItemSource(Pane):
    """One program at a time; a mark that is not known yet comes when it is found."""

    def __init__(self, spelling: Spelling, folding: str, follow: Callable[[], None]) -> None:
        """`folding` says when blocks fold; `follow` is called when a mark has changed how many rows are wanted."""
        self.source = SourceView(folding=folding)
        super().__init__("Source", self.source, id="source")
        self._spelling = spelling
        self._follow = follow
        self._marks = MarkFinder(self, self._take_mark)

    def show_item(self, item: ReviewItem) -> None:
        """Show an item's program at its checkpoint, or else at the marked line."""
        spelled = self._spelling.of(item)
        self.source.show_source(spelled.source, spelled.language, marked_place(item.task), self._marks.mark_of(item))
        self._show_title(item)

    def show_spelling(self, item: ReviewItem) -> None:
        """Show the program of the item in the symbols that are wished for now; what is on the screen stays."""
        spelled = self._spelling.of(item)
        self.source.show_spelling(spelled.source, spelled.language)
        self._show_title(item)

    def _show_title(self, item: ReviewItem) -> None:
        title = "Source" if not self._spelling.is_other(item) else f"{OTHER_SPELLING} source, {NEVER_SHOWN}"
        self.title.show(name=title, detail=source_words(item))

    def _take_mark(self, program: CStarProgram, mark: LineMark | None) -> None:
        self.source.show_mark(mark)
        self.follow()
        self._follow()

    def on_mark_found(self, message: MarkFound) -> None:
        message.stop()
        self._marks.end(message)

    def on_unmount(self) -> None:
        self._marks.stop()
