"""The note of an item, edited as text only: no key in it means anything else but Enter and Escape."""

from __future__ import annotations

import asyncio
import unicodedata

from rich.text import Text
from textual.content import Content
from textual.events import Key, Paste
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
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

    class Edited(Message):
        """The note is another one than before."""

    def __init__(self, note: str, title: str) -> None:
        self._stand_ins = _stand_ins(note)
        super().__init__(note.translate(self._stand_ins), soft_wrap=True, tab_behavior="indent")
        self.border_title = Content(title)
        self.cursor_blink = False
        self.move_cursor(self.document.end)

    @property
    def note(self) -> str:
        """Return the note with every character that was put in."""
        return self.text.translate({stand_in: char for char, stand_in in self._stand_ins.items()})

    def get_line(self, line_index: int) -> Text:
        """Return a line for drawing; the document keeps the characters as they are."""
        originals = {stand_in: char for char, stand_in in self._stand_ins.items()}
        line = self.document.get_line(line_index).translate(originals)
        # Each character once: a pasted line may have a million of them, and is laid out whole for each of its rows.
        return Text(line.translate({ord(char): _one_cell(char) for char in set(line)}), end="", no_wrap=True)

    def render_lines(self, crop: Region) -> list[Strip]:
        # A page that opens over the screen in the frame in which the editor is removed has it drawn once more, when
        # it has no styles any more (Textual 8.2.8).
        return super().render_lines(crop) if self.is_attached else [Strip.blank(crop.width)] * crop.height

    async def _on_paste(self, event: Paste) -> None:
        # Terminals send a carriage return for each newline of what is pasted.
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        await super()._on_paste(Paste(text.translate(self._stand_ins)))
        event.stop()
        event.prevent_default()

    async def _on_key(self, event: Key) -> None:
        # Textual runs a widget's bindings (backspace, arrows) only when the key has bubbled up to the app, which is
        # after an Enter that was typed right behind it. Here they run in the order of the keys.
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.run_action(binding.action)
            return
        if event.character is not None and not event.is_printable and is_text(event.character):
            # The text area takes printable characters only, which joiners and unusual spaces are not.
            event.stop()
            event.prevent_default()
            self._replace_via_keyboard(event.character.translate(self._stand_ins), *self.selection)
            return
        await super()._on_key(event)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Edited())

    async def settle(self) -> None:
        """Wait until every key that was sent to the editor is in its text."""
        settled = asyncio.Event()
        self.call_later(settled.set)
        await settled.wait()


def is_text(character: str) -> bool:
    """Say whether a key's character is a part of a text: anything but a control."""
    return unicodedata.category(character) != "Cc"


_LINE_BREAKS = "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What the text area would take for a newline, and give back as one."""
_FIRST_STAND_IN = 0x10FF00


def _stand_ins(text: str) -> dict[int, int]:
    """Return private code points, none of them in the text, for what the text area cannot keep."""
    first = _FIRST_STAND_IN
    while any(first <= ord(char) < first + len(_LINE_BREAKS) for char in text):
        first -= len(_LINE_BREAKS)
    return {ord(char): first + number for number, char in enumerate(_LINE_BREAKS)}


def _one_cell(char: str) -> str:
    """Show a character as one character, so that the cursor stays where it is."""
    shown = char if char == "\t" else visible_line(char)
    return shown if len(shown) == 1 else _PLACEHOLDER
