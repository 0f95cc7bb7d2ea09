"""Actions that put something on the item, and take it back. What a mark means is in `auditor.audit.review`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditor.audit.review import (
    Defer,
    Intent,
    MarkReviewed,
    NothingToTag,
    Pending,
    Redo,
    Refused,
    Reveal,
    ReviewView,
    Saved,
    TagChoice,
    ToggleTag,
    Undo,
)
from auditor.model import ReviewState
from auditor.text import visible_line
from auditor.tui.parts.first_cause import FirstCause
from auditor.tui.parts.moving import Moving
from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.review_sentences import tell_mark


class Marking:
    """Saves marks one after the other, and shows what each did."""

    def __init__(self, desk: ReviewDesk, moving: Moving) -> None:
        self._desk = desk
        self._moving = moving
        self.first_cause = FirstCause(desk, self)
        self.last_tag: int | None = None
        """The index of the tag that was toggled last, if that put it on."""
        self._rekeyed: set[str] = set()
        """Ids of tags whose key stood for another tag until the codebook changed elsewhere."""

    def follow_tags(self, before: Sequence[TagChoice]) -> None:
        """Ask once more before a key acts that stood for another tag until now."""
        stood_for = {choice.key: choice.id for choice in before if choice.key}
        self._rekeyed |= {one.id for one in self._desk.choices if one.key and stood_for.get(one.key, one.id) != one.id}

    async def action_toggle_tag(self, index: int) -> None:
        desk, choice = self._desk, self._desk.choices[index]
        self.last_tag = None
        if choice.id in self._rekeyed:
            self._rekeyed.discard(choice.id)
            revision, key = desk.session.codebook_revision, visible_line(choice.key)
            desk.say(f"Since revision {revision} the key {key} is {choice.name}: press it again if that is meant.")
            return
        if not choice.key and desk.item and choice.id not in desk.item.review.tags:
            desk.say(f"The tag {choice.name} is retired: it can only be taken off.", refused=True)
            return
        if self.first_cause.is_asked:
            await self.first_cause.take(choice.id)
        elif await self.mark(ToggleTag(choice.id)) and desk.item and choice.id in desk.item.review.tags:
            self.last_tag = index

    async def action_mark_reviewed(self) -> None:
        await self.mark(MarkReviewed())

    async def action_nothing_to_tag(self) -> None:
        await self.mark(NothingToTag())

    async def action_defer(self) -> None:
        await self.mark(Defer())

    async def action_undo(self) -> None:
        await self.mark(Undo())

    async def action_redo(self) -> None:
        await self.mark(Redo())

    async def mark(self, intent: Intent) -> bool:
        """Save a mark, then show the item that it is on, or the next open one; say whether the mark was made."""
        desk = self._desk
        assert desk.item is not None
        before = desk.item
        outcome = await self._submit(desk.item.response_id, intent)
        if isinstance(outcome, Refused):
            desk.say(outcome.message, refused=True)
            return False
        if isinstance(outcome, Pending):
            desk.say(desk.work.words_on(outcome), refused=True)
        if outcome.response_id != desk.item.response_id:
            desk.show(await desk.work.call(desk.session.item_by_id, outcome.response_id))
        else:
            desk.item = replace(desk.item, review=outcome.review)
            # Painting the mark and then the next item would take a frame of the screen more.
            if not (_goes_on(intent, outcome.review) and await self._moving.go_to_next_open()):
                desk.show_review(desk.item)
        if isinstance(outcome, Saved):
            told = tell_mark(desk.session, desk.item, intent, outcome, before, desk.keys)
            if told.words:
                desk.say(told.words, brief=told.brief)
        return True

    async def _submit(self, response_id: int, intent: Intent) -> Saved | Pending | Refused:
        """Save a mark with the time at the item, which is kept for the next one where nothing came of it."""
        desk = self._desk
        if desk.clock is None or isinstance(intent, Undo | Redo | Reveal):
            return await desk.work.submit(response_id, intent)
        seconds = desk.clock.take()
        kept = False
        try:
            outcome = await desk.work.submit(response_id, intent, round(seconds, 3))
            kept = isinstance(outcome, Pending) or (isinstance(outcome, Saved) and outcome.recorded)
        finally:
            if not kept:
                desk.clock.give_back(response_id, seconds)
        return outcome


def _goes_on(intent: Intent, review: ReviewView) -> bool:
    """Say whether the next open item comes after a mark."""
    return isinstance(intent, MarkReviewed | NothingToTag) or (
        isinstance(intent, Defer) and review.state is ReviewState.DEFERRED
    )
