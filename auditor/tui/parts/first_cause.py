"""The key that marks which of an item's tags came first: it is followed by that tag's key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.audit.review import MarkFirst

if TYPE_CHECKING:
    from auditor.tui.parts.marking import Marking
    from auditor.tui.parts.review_desk import ReviewDesk


class FirstCause:
    """Marks a tag of the item as the one that came first."""

    def __init__(self, desk: ReviewDesk, marking: Marking) -> None:
        self._desk = desk
        self._marking = marking
        self._asked: int | None = None
        """The item whose first cause the key before this one asked for, if it was this key."""

    async def action_mark_first(self) -> None:
        """Ask for the tag; once more, take the mark off."""
        desk, item = self._desk, self._desk.item
        assert item is not None
        if self.is_asked:
            self._asked = None
            await self._marking.mark(MarkFirst(""))
            return
        self._asked = item.response_id
        name = next((one.name for one in desk.choices if one.id == item.review.first_cause), "")
        off = f"; {desk.keys['item.first'] or 'the same'} again takes {name} back" if name else ""
        desk.say(f"Which tag came first? Its key marks it{off}.")

    @property
    def is_asked(self) -> bool:
        """Say whether the next tag's key marks the first cause."""
        item = self._desk.item
        return self._desk.previous == "item.first" and item is not None and self._asked == item.response_id

    async def take(self, tag: str) -> None:
        """Mark the tag whose key came next."""
        self._asked = None
        await self._marking.mark(MarkFirst(tag))
