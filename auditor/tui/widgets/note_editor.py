"""The note of an item, edited as text only: no key in it means anything else but Enter and Escape."""

from __future__ import annotations

import asyncio

from rich.text import Text
from textual.events import Key
from textual.widgets import TextArea

from auditor.text import visible_line

_PLACEHOLDER = "\N{REPLACEMENT CHARACTER}"


class NoteEditor(TextArea):
    """A text area whose lines reach the screen with controls shown, one cell position for one character."""

    DEFAULT_CSS = """
    NoteEditor {
        height: 5;
        border: none;
        border-top: solid $accent;
        border-title-color: $accent;
        background: $surface;
        padding: 0 1;
        scrollbar-size: 1 1;
        &:focus { border: none; border-top: solid $accent; }
    }
    """

    def __init__(self, note: str) -> None:
        super().__init__(note, soft_wrap=True, tab_behavior="indent", show_line_numbers=False)
        self.border_title = "Note   Enter saves, Esc leaves it as it was"
        self.cursor_blink = False
        self.move_cursor(self.document.end)

    def get_line(self, line_index: int) -> Text:
        """Return a line for drawing; the document keeps the characters as they are."""
        line = self.document.get_line(line_index)
        return Text("".join(map(_one_cell, line)), end="", no_wrap=True)

    async def _on_key(self, event: Key) -> None:
        # Textual runs a widget's bindings (backspace, arrows) only when the key has bubbled up to the app, which is
        # after an Enter that was typed right behind it. Here they run in the order of the keys.
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)
            return
        await super()._on_key(event)

    async def settle(self) -> None:
        """Wait until every key that was sent to the editor is in its text."""
        settled = asyncio.Event()
        self.call_later(settled.set)
        await settled.wait()


def _one_cell(char: str) -> str:
    """Show a character as one character, so that the cursor stays where it is."""
    shown = char if char == "\t" else visible_line(char)
    return shown if len(shown) == 1 else _PLACEHOLDER
