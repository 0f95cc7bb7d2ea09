"""Actions for reading an item closely: wrapped or not, folded or not, code points, a copy elsewhere."""

from __future__ import annotations

from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.point_lines import ComparedTexts, compared_texts
from auditor.tui.widgets.line_view import LineView


class Reading:
    """Changes how the panes show the item, and opens the pages that show a part of it otherwise."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk

    def action_toggle_wrap(self) -> None:
        desk = self._desk
        desk.panes.wrap_lines(not desk.panes.wraps)
        keys = " and ".join(filter(None, (desk.keys["pane.left"], desk.keys["pane.right"])))
        scroll = f"; {keys} scroll sideways" if keys else ""
        desk.say("Long lines are wrapped." if desk.panes.wraps else f"Each line is one row{scroll}.")

    def action_scroll_across(self, how: str) -> None:
        desk, focused = self._desk, self._desk.screen.focused
        if desk.panes.wraps:
            key = desk.keys["look.wrap"]
            desk.say(f"Long lines are wrapped{f': {key} shows each line as one row' if key else ''}.", refused=True)
        elif isinstance(focused, LineView):
            focused.scroll_across(how)

    def action_toggle_folds(self) -> None:
        if told := self._desk.panes.source.toggle_folds():
            self._desk.say(told)

    async def action_show_code_points(self) -> None:
        from auditor.tui.screens.code_points import CodePointScreen

        comparison = self._desk.panes.comparison
        actions = self._desk.setup.screens["review"]
        await self._desk.screen.app.push_screen(CodePointScreen(actions, self._texts_at, lambda: comparison.extent))

    def _texts_at(self, by: int) -> ComparedTexts | None:
        """Go so many differences on and return the texts that are compared there."""
        comparison, item = self._desk.panes.comparison, self._desk.item
        if by:
            comparison.step(by)
        if item is None or item.grade is None or item.oracle_text is None or item.grade.prediction is None:
            return None
        return compared_texts(item.oracle_text, item.grade.prediction, comparison.comparison, comparison.at)

    async def action_copy_part(self) -> None:
        from auditor.tui.screens.copying import CopyScreen

        desk = self._desk
        assert desk.item is not None
        await desk.screen.app.push_screen(CopyScreen(desk.item, desk.setup, desk.panes.part_in_focus, desk.say))
