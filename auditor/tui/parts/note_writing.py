"""The note or memo of a review while it is being written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.audit.review import DraftKey, PinMemo, SetNote
from auditor.tui.parts.text_writing import TextWriting

if TYPE_CHECKING:
    from auditor.tui.parts.marking import Marking
    from auditor.tui.parts.review_desk import ReviewDesk
    from auditor.tui.widgets.tag_bar import TagBar


NO_PLACE = "A memo is pinned to a line of the source or to a difference: go to one of these panes."


class NoteWriting(TextWriting):
    """Asks for the note of the item, or for the memo at the place where it is looked at."""

    def __init__(self, desk: ReviewDesk, marking: Marking, below: TagBar) -> None:
        """The editor is shown above the bar `below`."""
        super().__init__(desk, below)
        self._bar = below
        self._marking = marking
        self._key = DraftKey(0)
        """What the editor holds."""
        self._quote = ""
        """What stands where the memo is."""

    @property
    def what(self) -> str:
        """Say what is being written: a note, or a memo and where it is."""
        return f"memo on {self._key.place} {self._key.number}" if self._key.place else "note"

    async def action_write_note(self) -> None:
        """Write the note of the item."""
        item = self._desk.item
        assert item is not None
        await self._open(DraftKey(item.response_id), item.review.note)

    async def action_write_memo(self) -> None:
        """Write the memo at the place where the item is looked at."""
        desk, item = self._desk, self._desk.item
        assert item is not None
        place, number = desk.panes.place
        if not number:
            desk.say(NO_PLACE, refused=True)
            return
        self._quote = await desk.work.call(desk.session.quote_at, item, place, number)
        memo = item.review.memo_at(place, number)
        await self._open(DraftKey(item.response_id, place, number), memo.text if memo else "")

    async def _open(self, key: DraftKey, text: str) -> None:
        self._key = key
        await self.open_editor(key, text, self.what[0].upper() + self.what[1:])

    async def _close(self) -> None:
        await super()._close()
        # What saving said has more room now.
        self._bar.fit_message()
        self._bar.refresh()

    async def save(self, text: str) -> bool:
        key = self._key
        return await self._marking.mark(
            PinMemo(key.place, key.number, self._quote, text) if key.place else SetNote(text)
        )
