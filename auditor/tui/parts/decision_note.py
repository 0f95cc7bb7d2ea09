"""The note of a decision while it is being written: its editor on the screen, its draft, the focus before and after."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from auditor.audit.review import DraftKey
from auditor.tui.draft_keeper import DraftKeeper

if TYPE_CHECKING:
    from textual.widget import Widget

    from auditor.tui.parts.adjudication_desk import AdjudicationDesk
    from auditor.tui.widgets.note_editor import NoteEditor

PLACE = "decision"
"""Where a draft belongs; its number is the tag's place among all tags of the file, 0 = several tags."""
Save = Callable[[str], Awaitable[bool]]
"""Saves what the note is for, with it; says whether it did."""


class DecisionNote:
    """Opens and closes the editor, one at a time, and has what is in it kept."""

    def __init__(self, desk: AdjudicationDesk, below: Widget) -> None:
        """The editor is shown above the widget `below`."""
        self._desk = desk
        self._below = below
        self._drafts = DraftKeeper(desk.work)
        self._editor: NoteEditor | None = None
        self._save: Save | None = None
        self._focus_before: Widget | None = None

    @property
    def is_open(self) -> bool:
        """Say whether a note is being written."""
        return self._editor is not None

    async def open(self, response_id: int, tag: str | None, text: str, title: str, save: Save) -> None:
        """Show the editor with the draft or else the text that is there, and give it the focus."""
        from auditor.tui.widgets.note_editor import NoteEditor

        desk, screen = self._desk, self._desk.screen
        self._save, self._focus_before = save, screen.focused
        key = DraftKey(response_id, PLACE, desk.session.tag_number(tag) if tag is not None else 0)
        draft = desk.session.draft_for(*key)
        words = f"{title}?" if title.startswith("Nobody") else title
        heading = f"{words}   {desk.keys['note.save']} saves, {desk.keys['note.leave']} leaves it as it was"
        self._editor = NoteEditor(text if draft is None else draft.text, heading)
        self._drafts.follow(key, self._editor)
        await screen.mount(self._editor, before=self._below)
        screen.set_focus(self._editor)
        desk.show_situation()

    async def action_save_note(self) -> None:
        assert self._editor is not None and self._save is not None
        await self._editor.settle()
        if await self._save(self._editor.note):
            await self._close()

    async def action_leave(self) -> None:
        """Leave everything as it was; where no note is written, show all panes and forget what failed."""
        if self._editor is not None:
            await self._editor.settle()
            await self._close()
        else:
            self._desk.work.acknowledge()
            self._desk.panes.show_all()

    async def _close(self) -> None:
        """Forget the draft, take the editor away and give the focus back."""
        editor, self._editor, self._save = self._editor, None, None
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
