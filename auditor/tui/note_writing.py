"""The note that is being written: its editor on the screen, its draft, and the focus before and after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from auditor.tui.draft_keeper import DraftKeeper

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

    from auditor.audit.review import ReviewItem
    from auditor.tui.widgets.note_editor import NoteEditor
    from auditor.tui.work import Work


class NoteWriting:
    """Opens and closes the note editor of a screen, one at a time, and has what is in it kept."""

    def __init__(self, screen: Screen[int], work: Work, keys: Mapping[str, str]) -> None:
        self._screen = screen
        self._title = f"Note   {keys['note.save']} saves, {keys['note.leave']} leaves it as it was"
        self._session = work.session
        self._drafts = DraftKeeper(work)
        self._editor: NoteEditor | None = None
        self._focus_before: Widget | None = None

    @property
    def is_open(self) -> bool:
        """Say whether a note is being written."""
        return self._editor is not None

    async def open(self, item: ReviewItem, before: Widget) -> None:
        """Show the editor above a widget, with the item's draft or else its note, and give it the focus."""
        from auditor.tui.widgets.note_editor import NoteEditor

        self._focus_before = self._screen.focused
        draft = self._session.draft_for(item.response_id)
        self._editor = NoteEditor(item.review.note if draft is None else draft.text, self._title)
        self._drafts.follow(item.response_id, self._editor)
        await self._screen.mount(self._editor, before=before)
        self._screen.set_focus(self._editor)

    async def finish_typing(self) -> str:
        """Return the note once every key that was sent to the open editor is in it."""
        assert self._editor is not None
        await self._editor.settle()
        return self._editor.note

    async def close(self) -> None:
        """Forget the draft, take the editor away and give the focus back."""
        editor, self._editor = self._editor, None
        if editor is not None:
            await self._drafts.drop()
            await editor.remove()
            self._screen.set_focus(self._focus_before)

    def keep_soon(self) -> None:
        """Have the draft kept in a moment: the note has changed."""
        self._drafts.note_change()

    async def keep_now(self) -> None:
        """Keep what changed in the draft and is not kept yet."""
        await self._drafts.keep_now()
