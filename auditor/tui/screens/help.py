"""Help over a screen: keys, symbols and the codebook, by section; a tag's key goes to that tag."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.tui.actions import Action, textual_key
from auditor.tui.help_lines import CODEBOOK_KEY, HelpCodebook, HelpText, help_text
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.screens.page import PageScreen
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.pane import Pane


class HelpView(LineView):
    """The help, laid out for the width of the view."""

    def __init__(self, codebook: HelpCodebook, actions: Sequence[Action], tag: int | None) -> None:
        super().__init__()
        self._codebook = codebook
        self._actions = actions
        self._tag = tag
        self._help = HelpText([], [], [])

    def show_tag(self, tag: int) -> None:
        """Scroll to a tag."""
        self._tag = tag
        self._open()

    def show_section(self, step: int) -> None:
        """Scroll to the next section, or the one before; beyond the last it goes on with the first row."""
        rows = [0, *(self._wrapped.row_at(line, 0) for line in self._help.sections)]
        at = self.scroll_offset.y
        if step > 0:
            behind = [row for row in rows if row > at] if at < self.max_scroll_y else []
            self.jump_to(min(behind[0], self.max_scroll_y) if behind else 0)
        else:
            before = [row for row in rows if row < at]
            self.jump_to(min(before[-1] if before else rows[-1], self.max_scroll_y))

    def show_codebook(self) -> None:
        """Scroll to the codebook."""
        self.jump_to(min(self._wrapped.row_at(self._help.sections[-1], 0), self.max_scroll_y))

    def opening_row(self) -> int:
        return 0 if self._tag is None else self._wrapped.row_at(self._help.tags[self._tag], 0)

    def _wrap(self, lines: Sequence[str]) -> None:
        if self.text_width > 0:
            self._help = help_text(self._codebook, self._actions, self.text_width)
            lines = [line.text for line in self._help.lines]
        super()._wrap(lines)

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._help.lines[line].spans

    @property
    def extent(self) -> str:
        first, last = self.visible_lines()
        where = f"{first}-{last} of {len(self.lines)} · " if self.is_cut else ""
        return f"{where}a tag's key shows it · Esc closes"


_DOES = {
    "program.help": "close",
    "program.quit": "close",
    "item.reviewed": "scroll('page down')",
    CODEBOOK_KEY: "show_codebook",
}
"""What the keys of an action do while the help is open, beside those that scroll every page."""


class HelpScreen(PageScreen):
    """Shows the help."""

    DEFAULT_CSS = """
    HelpScreen > Pane { max-width: 110; }
    """

    def __init__(self, codebook: HelpCodebook, actions: Sequence[Action], tag: int | None = None) -> None:
        self._view = HelpView(codebook, actions, tag)
        super().__init__(Pane("Help", self._view, id="help"), self._view, actions, _DOES)
        self.bind_key("tab", "show_section(1)")
        self.bind_key("shift+tab", "show_section(-1)")
        for index, choice in enumerate(codebook.choices):
            if choice.key:
                self.bind_key(textual_key(choice.key), f"show_tag({index})")

    def action_show_section(self, step: int) -> None:
        """Scroll to the next section, or the one before."""
        self._view.show_section(step)

    def action_show_codebook(self) -> None:
        """Scroll to the codebook."""
        self._view.show_codebook()

    def action_show_tag(self, index: int) -> None:
        """Scroll to a tag."""
        self._view.show_tag(index)
