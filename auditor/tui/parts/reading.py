"""Actions for reading an item closely: wrapped or not, folded or not, code points, a copy elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.widgets.comparison_view import ComparisonView
from auditor.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem
    from auditor.tui.point_lines import ComparedTexts


class Reading:
    """Changes how the panes show the item, and opens the pages that show a part of it otherwise."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk

    def action_toggle_wrap(self) -> None:
        desk = self._desk
        desk.panes.wrap_lines(not desk.panes.wraps)
        desk.say(tell_wrap(desk.keys, wraps=desk.panes.wraps))

    def action_scroll_across(self, how: str) -> None:
        desk, focused = self._desk, self._desk.screen.focused
        if desk.panes.wraps:
            desk.say(tell_wrapped(desk.keys), refused=True)
        elif isinstance(focused, LineView):
            focused.scroll_across(how)

    def action_toggle_folds(self) -> None:
        if told := self._desk.panes.source.toggle_folds():
            self._desk.say(told)

    async def action_show_code_points(self) -> None:
        from auditor.tui.screens.code_points import CodePointScreen

        desk, comparison = self._desk, self._desk.panes.comparison
        actions = desk.setup.screens["review"]
        texts = partial(texts_at, comparison, desk.item)
        await desk.screen.app.push_screen(CodePointScreen(actions, texts, lambda: comparison.extent))

    async def action_copy_part(self) -> None:
        from auditor.tui.screens.copying import CopyScreen

        desk = self._desk
        assert desk.item is not None
        await desk.screen.app.push_screen(CopyScreen(desk.item, desk.setup, desk.panes.part_in_focus, desk.say))


def texts_at(comparison: ComparisonView, item: ReviewItem | None, by: int) -> ComparedTexts | None:
    """Go so many differences of an item's comparison on, and return the texts that are compared there."""
    if by:
        comparison.step(by)
    if item is None or item.grade is None or item.oracle_text is None or item.grade.prediction is None:
        return None
    from auditor.tui.point_lines import compared_texts

    return compared_texts(item.oracle_text, item.grade.prediction, comparison.comparison, comparison.at)


def tell_wrap(keys: Mapping[str, str], *, wraps: bool) -> str:
    """Return how lines are shown now."""
    scrolling = " and ".join(filter(None, (keys["pane.left"], keys["pane.right"])))
    scroll = f"; {scrolling} scroll sideways" if scrolling else ""
    return "Long lines are wrapped." if wraps else f"Each line is one row{scroll}."


def tell_wrapped(keys: Mapping[str, str]) -> str:
    """Return why nothing scrolls sideways."""
    key = keys["look.wrap"]
    return f"Long lines are wrapped{f': {key} shows each line as one row' if key else ''}."
