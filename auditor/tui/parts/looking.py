"""Actions that only look at the item: panes and differences."""

from __future__ import annotations

from auditor.audit.review import DIFFERENCE, LINE
from auditor.tui.marked_lines import MEMO
from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.widgets.line_view import LineView


class Looking:
    """Moves among the panes of an item and in them."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk

    def action_step_difference(self, which: str) -> None:
        comparison = self._desk.panes.comparison
        comparison.step(1 if which == "next" else -1)
        self._tell_memo(DIFFERENCE, comparison.at + 1)

    def action_cycle_pane(self) -> None:
        screen, views = self._desk.screen, self._desk.panes.views()
        at = views.index(screen.focused) if screen.focused in views else -1
        if views:
            screen.set_focus(views[(at + 1) % len(views)])

    def action_scroll_pane(self, how: str) -> None:
        focused = self._desk.screen.focused
        if isinstance(focused, LineView):
            focused.scroll_by(how)
            if focused is self._desk.panes.source and how in ("down", "up"):
                self._tell_memo(LINE, self._desk.panes.source.chosen_line)

    def _tell_memo(self, place: str, number: int) -> None:
        """Show the memo at a place where it has more room than behind the line."""
        item = self._desk.item
        memo = item.review.memo_at(place, number) if item else None
        if memo is not None:
            self._desk.say(f"{MEMO} {memo.text}")

    def action_show_reply(self) -> None:
        self._desk.panes.toggle_reply()

    def action_show_reasoning(self) -> None:
        self._desk.panes.toggle_reasoning()

    def action_show_input(self) -> None:
        self._desk.panes.toggle_input()

    def action_show_rules(self) -> None:
        self._desk.panes.toggle_rules()

    def action_show_standard(self) -> None:
        self._desk.panes.toggle_spelling()

    def action_show_prompt(self) -> None:
        self._desk.panes.toggle_prompt()
