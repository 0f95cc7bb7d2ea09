"""Help: every key from the action registry, and the codebook's tags with their definitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from auditor.text import visible_line
from auditor.tui.actions import ACTIONS
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.pane import Pane

_KEY_CELLS = 8


class HelpView(LineView):
    """The lines of the help with their spans."""

    def __init__(self, lines: Sequence[tuple[str, tuple[RoleSpan, ...]]]) -> None:
        super().__init__()
        self._spans = [spans for _, spans in lines]
        self.lines = [text for text, _ in lines]

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._spans[line]

    @property
    def extent(self) -> str:
        return "Esc closes"


class HelpScreen(ModalScreen[None]):
    """A page over the review."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "close_help", "Close", priority=True),
        Binding("j,J", "scroll_help(1)", "Down", show=False, priority=True),
        Binding("k,K", "scroll_help(-1)", "Up", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen > Pane { width: 92%; max-width: 110; height: 92%; background: $background; }
    """

    def __init__(self, tags: Sequence[tuple[str, str, str]], codebook: str) -> None:
        super().__init__()
        self._view = HelpView([*_key_lines(), *_tag_lines(tags, codebook)])

    def compose(self) -> ComposeResult:
        yield Pane("Help", self._view, id="help")

    def on_mount(self) -> None:
        self.set_focus(self._view)

    async def action_close_help(self) -> None:
        await self.app.pop_screen()

    def action_scroll_help(self, rows: int) -> None:
        self._view.scroll_relative(y=rows, animate=False)


def _key_lines() -> Iterator[tuple[str, tuple[RoleSpan, ...]]]:
    for group in dict.fromkeys(action.group for action in ACTIONS):
        yield group, (RoleSpan(0, len(group), "muted"),)
        for action in ACTIONS:
            if action.group == group:
                key = action.shown_key.rjust(_KEY_CELLS)
                yield f"{key}  {action.description}", (RoleSpan(0, len(key), "key"),)
        yield "", ()


def _tag_lines(tags: Sequence[tuple[str, str, str]], codebook: str) -> Iterator[tuple[str, tuple[RoleSpan, ...]]]:
    head = f"Tags of the codebook {visible_line(codebook)}"
    yield head, (RoleSpan(0, len(head), "muted"),)
    for key, name, definition in tags:
        shown_key = visible_line(key).rjust(_KEY_CELLS)
        shown_name = visible_line(name)
        name_end = len(shown_key) + 2 + len(shown_name)
        spans = (RoleSpan(0, len(shown_key), "key"), RoleSpan(len(shown_key) + 2, name_end, "definition"))
        yield f"{shown_key}  {shown_name}   {visible_line(definition)}", spans
