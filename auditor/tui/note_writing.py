"""The note or memo that is being written: its editor on the screen, its draft, the focus before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.audit.review import DraftKey, PinMemo, SetNote
from auditor.tui.draft_keeper import DraftKeeper

if TYPE_CHECKING:
    from textual.widget import Widget

    from auditor.tui.parts.marking import Marking
    from auditor.tui.parts.review_desk import ReviewDesk
    from auditor.tui.widgets.note_editor import NoteEditor


NO_PLACE = "A memo is pinned to a line of the source or to a difference: go to one of these panes."


class NoteWriting:
    """Opens and closes the editor of notes and memos, one at a time, and has what is in it kept."""

    def __init__(self, desk: ReviewDesk, marking: Marking, below: Widget) -> None:
        """The editor is shown above the widget `below`."""
        self._desk = desk
        self._marking = marking
        self._below = below
        self._drafts = DraftKeeper(desk.work)
        self._editor: NoteEditor | None = None
        self._key = DraftKey(0)
        """What the editor holds."""
        self._quote = ""
        """What stands where the memo is."""
        self._focus_before: Widget | None = None

    @property
    def is_open(self) -> bool:
        """Say whether a note or a memo is being written."""
        return self._editor is not None

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
        """Show the editor with the draft or else the text that is there, and give it the focus."""
        from auditor.tui.widgets.note_editor import NoteEditor

        desk, screen = self._desk, self._desk.screen
        self._key, self._focus_before = key, screen.focused
        draft = desk.session.draft_for(*key)
        what = self.what[0].upper() + self.what[1:]
        title = f"{what}   {desk.keys['note.save']} saves, {desk.keys['note.leave']} leaves it as it was"
        self._editor = NoteEditor(text if draft is None else draft.text, title)
        self._drafts.follow(key, self._editor)
        await screen.mount(self._editor, before=self._below)
        screen.set_focus(self._editor)
        desk.show_situation()

    async def action_save_note(self) -> None:
        text, key = await self.finish_typing(), self._key
        intent = PinMemo(key.place, key.number, self._quote, text) if key.place else SetNote(text)
        if await self._marking.mark(intent):
            await self._close()

    async def action_leave(self) -> None:
        """Leave the text as it was; where none is written, show all panes and forget what failed."""
        if self.is_open:
            await self.finish_typing()
            await self._close()
        else:
            self._desk.work.acknowledge()
            self._desk.panes.show_all()

    async def finish_typing(self) -> str:
        """Return the text once every key that was sent to the open editor is in it."""
        assert self._editor is not None
        await self._editor.settle()
        return self._editor.note

    async def _close(self) -> None:
        """Forget the draft, take the editor away and give the focus back."""
        editor, self._editor = self._editor, None
        if editor is not None:
            await self._drafts.drop()
            await editor.remove()
            self._desk.screen.set_focus(self._focus_before)
        self._desk.panes.keep_focus()
        self._desk.show_situation()

    def keep_soon(self) -> None:
        """Have the draft kept in a moment: the text has changed."""
        self._drafts.note_change()

    async def keep_now(self) -> None:
        """Keep what changed in the draft and is not kept yet."""
        await self._drafts.keep_now()
