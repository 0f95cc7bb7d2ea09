"""Help over the review: keys, symbols and the codebook; a tag's key goes to that tag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from auditor.tui.actions import textual_key
from auditor.tui.help_lines import HelpCodebook, HelpText, help_text
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.pane import Pane


class HelpView(LineView):
    """The help, laid out for the width of the view."""

    def __init__(self, codebook: HelpCodebook, tag: int | None) -> None:
        super().__init__()
        self._codebook = codebook
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
            self._help = help_text(self._codebook, self.text_width)
            lines = [line.text for line in self._help.lines]
        super()._wrap(lines)

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._help.lines[line].spans

    @property
    def extent(self) -> str:
        first, last = self.visible_lines()
        where = f"{first}-{last} of {len(self.lines)} · " if self.is_cut else ""
        return f"{where}a tag's key shows it · Esc closes"


class HelpScreen(ModalScreen[None]):
    """A page over the review."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "close_help", "Close", priority=True),
        Binding("j,J", "scroll_help('down')", "Down", show=False, priority=True),
        Binding("k,K", "scroll_help('up')", "Up", show=False, priority=True),
        Binding("pagedown,space", "scroll_help('page down')", "Page down", show=False, priority=True),
        Binding("pageup", "scroll_help('page up')", "Page up", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen > Pane { width: 96%; max-width: 110; height: 96%; background: $background; }
    """

    def __init__(self, codebook: HelpCodebook, tag: int | None = None) -> None:
        super().__init__()
        self._view = HelpView(codebook, tag)
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
