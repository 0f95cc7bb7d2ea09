"""Help over the review: keys, symbols and the codebook; a tag's key goes to that tag."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.screen import ModalScreen

from auditor.tui.actions import Action, textual_key
from auditor.tui.help_lines import HelpCodebook, HelpText, help_text
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.pane import Pane


class HelpView(LineView):
    """The help, laid out for the width of the view."""

    def __init__(self, codebook: HelpCodebook, actions: Sequence[Action], tag: int | None) -> None:
        super().__init__()
        self._codebook = codebook
        self._actions = actions
        self._tag = tag
        self._help = HelpText([], [])

    def show_tag(self, tag: int) -> None:
        """Scroll to a tag."""
        self._tag = tag
        self._open()

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
    "program.help": "close_help",
    "program.quit": "close_help",
    "queue.next": "scroll_help('down')",
    "queue.previous": "scroll_help('up')",
    "pane.down": "scroll_help('down')",
    "pane.up": "scroll_help('up')",
    "pane.page_down": "scroll_help('page down')",
    "item.reviewed": "scroll_help('page down')",
    "pane.page_up": "scroll_help('page up')",
    "pane.start": "scroll_help('start')",
    "pane.end": "scroll_help('end')",
}
"""What the keys of an action do while the help is open."""


class HelpScreen(ModalScreen[None]):
    """A page over the review."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background; }
    HelpScreen > Pane { width: 96%; max-width: 110; height: 96%; background: $background; }
    """

    def __init__(self, codebook: HelpCodebook, actions: Sequence[Action], tag: int | None = None) -> None:
        super().__init__()
        self._view = HelpView(codebook, actions, tag)
        self._bindings.bind("escape", "close_help", show=False, priority=True)
        for action in actions:
            for key in action.keys if action.id in _DOES else ():
                self._bindings.bind(key, _DOES[action.id], show=False, priority=True)
        for index, choice in enumerate(codebook.choices):
            if choice.key:
                self._bindings.bind(textual_key(choice.key), f"show_tag({index})", show=False, priority=True)

    def compose(self) -> ComposeResult:
        yield Pane("Help", self._view, id="help")

    def on_mount(self) -> None:
        self.set_focus(self._view)

    async def action_close_help(self) -> None:
        await self.app.pop_screen()

    def action_scroll_help(self, how: str) -> None:
        self._view.scroll_by(how)

    def action_show_tag(self, index: int) -> None:
        self._view.show_tag(index)
