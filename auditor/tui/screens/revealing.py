"""The key that shows what a blind review hides: asked for twice before an item is reviewed, and kept in the history."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.audit.blindness import needs_second_asking
from auditor.audit.review import Intent, Reveal, ReviewItem
from auditor.tui.screens.looking import LookingScreen
from auditor.tui.work import Work


class RevealingScreen(LookingScreen):
    """A screen that can show what is hidden of its item; the screen that builds on it sets `_item` and `_work`."""

    _item: ReviewItem | None
    _work: Work
    _keys: Mapping[str, str]
    """The key of each action as a sentence names it."""
    _reveal_asked: int | None = None
    """The item that the last key asked to reveal."""

    async def action_reveal(self) -> None:
        item = self._item
        assert item is not None
        if needs_second_asking(item.review.state) and self._reveal_asked != item.response_id:
            self._reveal_asked = item.response_id
            key = self._keys["item.reveal"] or "the same"
            self._say(f"{key} again shows all of it before it is reviewed, and the history keeps that.")
        elif await self._mark(Reveal()):
            self._show(await self._work.call(self._session.item_by_id, item.response_id))

    def _say(self, message: str, *, refused: bool = False) -> None:
        raise NotImplementedError

    def _show(self, item: ReviewItem) -> None:
        raise NotImplementedError

    async def _mark(self, intent: Intent) -> bool:
        raise NotImplementedError
