"""The note that is being written: its editor on the screen, its draft, and the focus before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.audit.review import SetNote
from auditor.tui.draft_keeper import DraftKeeper

if TYPE_CHECKING:
    from textual.widget import Widget

    from auditor.tui.parts.marking import Marking
    from auditor.tui.parts.review_desk import ReviewDesk
    from auditor.tui.widgets.note_editor import NoteEditor


class NoteWriting:
    """Opens and closes the note editor of a screen, one at a time, and has what is in it kept."""

    def __init__(self, desk: ReviewDesk, marking: Marking, below: Widget) -> None:
        """The editor is shown above the widget `below`."""
        self._desk = desk
        self._marking = marking
        self._below = below
        self._drafts = DraftKeeper(desk.work)
        self._editor: NoteEditor | None = None
        self._focus_before: Widget | None = None

    @property
    def is_open(self) -> bool:
        """Say whether a note is being written."""
        return self._editor is not None

    async def action_write_note(self) -> None:
        """Show the editor with the item's draft or else its note, and give it the focus."""
        from auditor.tui.widgets.note_editor import NoteEditor

        desk, screen, item = self._desk, self._desk.screen, self._desk.item
        assert item is not None
        self._focus_before = screen.focused
        draft = desk.session.draft_for(item.response_id)
        title = f"Note   {desk.keys['note.save']} saves, {desk.keys['note.leave']} leaves it as it was"
        self._editor = NoteEditor(item.review.note if draft is None else draft.text, title)
        self._drafts.follow(item.response_id, self._editor)
        await screen.mount(self._editor, before=self._below)
        screen.set_focus(self._editor)
        desk.show_situation()

    async def action_save_note(self) -> None:
        if await self._marking.mark(SetNote(await self.finish_typing())):
            await self._close()

    async def action_leave(self) -> None:
        """Leave the note as it was; where none is written, show all panes and forget what failed."""
        if self.is_open:
            await self.finish_typing()
            await self._close()
        else:
            self._desk.work.acknowledge()
            self._desk.panes.show_all()

    async def finish_typing(self) -> str:
        """Return the note once every key that was sent to the open editor is in it."""
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
        """Have the draft kept in a moment: the note has changed."""
        self._drafts.note_change()

    async def keep_now(self) -> None:
        """Keep what changed in the draft and is not kept yet."""
        await self._drafts.keep_now()
