"""A page over a screen: one text in a pane, which keys of the screen below scroll and close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.screen import ModalScreen

from auditor.tui.actions import Action
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.pane import Pane

SCROLLS = {
    "queue.next": "scroll('down')",
    "queue.previous": "scroll('up')",
    "pane.down": "scroll('down')",
    "pane.up": "scroll('up')",
    "pane.page_down": "scroll('page down')",
    "pane.page_up": "scroll('page up')",
    "pane.start": "scroll('start')",
    "pane.end": "scroll('end')",
}
"""What the keys of an action of the screen below do on every page."""


class PageScreen(ModalScreen[None]):
    """Shows a view that fills most of the screen; escape closes it."""

    DEFAULT_CSS = """
    PageScreen { align: center middle; background: $background; }
    PageScreen > Pane { width: 96%; height: 96%; background: $background; }
    """

    def __init__(self, pane: Pane, view: LineView, actions: Sequence[Action], does: Mapping[str, str]) -> None:
        """`does` says what the keys of an action of the screen below do here, beside those that scroll."""
        super().__init__()
        self._pane = pane
        self._shown = view
        self.bind_key("escape", "close")
        done = {**SCROLLS, **does}
        for action in actions:
            for key in action.keys if action.id in done else ():
                self.bind_key(key, done[action.id])

    def bind_key(self, key: str, does: str) -> None:
        """Bind a key before the widgets get it."""
        self._bindings.bind(key, does, show=False, priority=True)

    def compose(self) -> ComposeResult:
        yield self._pane

    def on_mount(self) -> None:
        self.set_focus(self._shown)

    async def action_close(self) -> None:
        """Go back to the screen below."""
        await self.app.pop_screen()

    def action_scroll(self, how: str) -> None:
        """Scroll the page."""
        self._shown.scroll_by(how)
