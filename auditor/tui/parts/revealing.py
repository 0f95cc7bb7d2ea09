"""The key that shows what a blind review hides: asked for twice before an item is reviewed, and kept in the history."""

from __future__ import annotations

from auditor.audit.blindness import needs_second_asking
from auditor.audit.review import Reveal
from auditor.tui.parts.marking import Marking
from auditor.tui.parts.review_desk import ReviewDesk


class Revealing:
    """Shows what is hidden of the item."""

    def __init__(self, desk: ReviewDesk, marking: Marking) -> None:
        self._desk = desk
        self._marking = marking
        self._asked: int | None = None
        """The item that the key before this one asked to reveal, if it was this key."""

    async def action_reveal(self) -> None:
        desk, item = self._desk, self._desk.item
        assert item is not None
        asked = desk.previous == "item.reveal" and self._asked == item.response_id
        if needs_second_asking(item.review.state) and not asked:
            self._asked = item.response_id
            key = desk.keys["item.reveal"] or "the same"
            desk.say(f"{key} again shows all of it before it is reviewed, and the history keeps that.")
        elif await self._marking.mark(Reveal()):
            self._asked = None
            desk.show(await desk.work.call(desk.session.item_by_id, item.response_id))
