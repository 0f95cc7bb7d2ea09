"""The note of a decision while it is being written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from auditor.audit.review import DraftKey
from auditor.audit.session_places import DECISION
from auditor.tui.parts.text_writing import TextWriting

Save = Callable[[str], Awaitable[bool]]
"""Saves what the note is for, with it; says whether it did."""


class DecisionNote(TextWriting):
    """Asks for a note, and gives it to whoever asked."""

    _save: Save

    async def open(self, response_id: int, tag: str | None, text: str, title: str, save: Save) -> None:
        """Show the editor with the draft or else the text that is there."""
        self._save = save
        key = DraftKey(response_id, DECISION, self._desk.session.tag_number(tag) if tag is not None else 0)
        await self.open_editor(key, text, title)

    async def save(self, text: str) -> bool:
        return await self._save(text)
