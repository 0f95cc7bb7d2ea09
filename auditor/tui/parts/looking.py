"""Actions that only look at the item: panes and differences."""

from __future__ import annotations

from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.widgets.line_view import LineView


class Looking:
    """Moves among the panes of an item and in them."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk

    def action_step_difference(self, which: str) -> None:
        self._desk.panes.comparison.step(1 if which == "next" else -1)

    def action_cycle_pane(self) -> None:
        screen, views = self._desk.screen, self._desk.panes.views()
        at = views.index(screen.focused) if screen.focused in views else -1
        if views:
            screen.set_focus(views[(at + 1) % len(views)])

    def action_scroll_pane(self, how: str) -> None:
        focused = self._desk.screen.focused
        if isinstance(focused, LineView):
            focused.scroll_by(how)

    def action_show_reply(self) -> None:
        self._desk.panes.toggle_reply()

    def action_show_reasoning(self) -> None:
        self._desk.panes.toggle_reasoning()

    def action_show_input(self) -> None:
        self._desk.panes.toggle_input()

    def action_show_prompt(self) -> None:
        self._desk.panes.toggle_prompt()
