"""A text that is being written: its editor on the screen, its draft, the focus before and after."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from auditor.tui.draft_keeper import DraftKeeper

if TYPE_CHECKING:
    from textual.widget import Widget

    from auditor.audit.review import DraftKey
    from auditor.tui.parts.review_desk import ReviewDesk
    from auditor.tui.widgets.note_editor import NoteEditor


class TextWriting(ABC):
    """Opens and closes the editor, one at a time, and has what is in it kept; what saves it says what it was for."""

    def __init__(self, desk: ReviewDesk, below: Widget) -> None:
        """The editor is shown above the widget `below`."""
        self._desk = desk
        self._below = below
        self._drafts = DraftKeeper(desk.work)
        self._editor: NoteEditor | None = None
        self._focus_before: Widget | None = None

    @property
    def is_open(self) -> bool:
        """Say whether a text is being written."""
        return self._editor is not None

    async def open_editor(self, key: DraftKey, text: str, title: str) -> None:
        """Show the editor with the draft or else the text that is there, and give it the focus."""
        from auditor.tui.widgets.note_editor import NoteEditor

        desk, screen = self._desk, self._desk.screen
        self._focus_before = screen.focused
        draft = desk.session.draft_for(*key)
        heading = f"{title}   {desk.keys['note.save']} saves, {desk.keys['note.leave']} leaves it as it was"
        self._editor = NoteEditor(text if draft is None else draft.text, heading)
        self._drafts.follow(key, self._editor)
        await screen.mount(self._editor, before=self._below)
        screen.set_focus(self._editor)
        desk.show_situation()

    @abstractmethod
    async def save(self, text: str) -> bool:
        """Save the text where it belongs; say whether it was saved."""

    async def action_save_note(self) -> None:
        """Save what is written, and close the editor where that was done."""
        if await self.save(await self.finish_typing()):
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
