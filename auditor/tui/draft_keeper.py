"""Keeps the note or memo that is being written soon after each change: whatever ends the program loses no more."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.store.drafts import DraftKey
    from auditor.tui.widgets.note_editor import NoteEditor
    from auditor.tui.work import Work

DELAY_SECONDS = 0.05
"""So long changes are gathered before they are written together."""


class DraftKeeper:
    """Follows one note editor at a time."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._followed: tuple[DraftKey, NoteEditor] | None = None
        self._changed = False
        self._keeping: asyncio.Task[None] | None = None

    def follow(self, key: DraftKey, editor: NoteEditor) -> None:
        """Begin with a note or a memo."""
        self._followed, self._changed = (key, editor), False

    def note_change(self) -> None:
        """Have what is written kept in a moment."""
        self._changed = self._followed is not None
        if self._changed and (self._keeping is None or self._keeping.done()):
            self._keeping = asyncio.create_task(self._keep_soon())

    async def keep_now(self) -> None:
        """Keep what changed and is not kept yet."""
        if self._followed is not None and self._changed:
            self._changed = False
            key, editor = self._followed
            await self._work.call(self._work.session.save_draft, key.response_id, editor.note, key.place, key.number)

    async def drop(self) -> None:
        """Forget the draft: it is saved or left."""
        followed, self._followed = self._followed, None
        if followed is not None:
            await self._work.call(self._work.session.drop_draft, *followed[0])

    async def _keep_soon(self) -> None:
        while self._changed:
            await asyncio.sleep(DELAY_SECONDS)
            await self.keep_now()
