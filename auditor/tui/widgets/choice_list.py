"""The answers to a question, one a row, each with its letter; what cannot be chosen is grey and says why."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import set_cell_size
from textual import events
from textual.message import Message

from auditor.text import visible_line
from auditor.tui.copying import Choice
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.short_names import end_cut
from auditor.tui.widgets.line_view import Beside, LineView

_NAME_CELLS = 24


class ChoiceList(LineView):
    """`▸ r  raw reply              1,234 characters`."""

    class Chosen(Message):
        """A row was clicked."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self) -> None:
        super().__init__(id="choices")
        self.gutter_width = 2
        self.index = 0
        self._choices: Sequence[Choice] = ()

    def show_choices(self, choices: Sequence[Choice], index: int) -> None:
        """Show other answers, and stand at one of them."""
        self._choices, self.index = choices, index
        self.show_lines([""] * len(choices))

    def go_to(self, index: int) -> None:
        """Stand at another answer."""
        self.index = index
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        # The second click of a double one would answer the next question.
        if index < len(self._choices) and event.chain == 1:
            self.post_message(self.Chosen(self._choices[index]))

    def _wrap(self, lines: Sequence[str]) -> None:
        if self.text_width > 0:
            lines = [self._row(choice) for choice in self._choices]
        super()._wrap(lines)

    def _row(self, choice: Choice) -> str:
        """Lay an answer out for the width, never wider."""
        about = visible_line(choice.why_not or choice.about)
        text = set_cell_size(f"{choice.key}  {choice.name}", _NAME_CELLS) + f"  {about}"
        return end_cut(text, self.text_width)

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        text = self.lines[line]
        if line == self.index:
            return (RoleSpan(0, len(text), "here"),)
        if self._choices[line].why_not:
            return (RoleSpan(0, len(text), "off"),)
        return RoleSpan(0, 1, "key"), RoleSpan(_NAME_CELLS, len(text), "muted")

    def gutter_of(self, line: int) -> Beside:
        return Beside("▸" if line == self.index else "")
