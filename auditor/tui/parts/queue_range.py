"""Actions on the rows of the queue: going along them, taking several into a range, marking one or all of these."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.audit.review import (
    Bookmark,
    Defer,
    Intent,
    MarkAll,
    MarkReviewed,
    NothingToTag,
    Pending,
    Redo,
    Refused,
    ReviewState,
    ReviewView,
    ToggleTag,
    Undo,
)
from auditor.text import counted
from auditor.tui.parts.queue_desk import QueueDesk
from auditor.tui.review_sentences import tell_done, tell_no_bookmark, tell_put_off, tell_tags_in_range

MOST_AT_ONCE = 5_000
"""Items that one act marks."""


class QueueRange:
    """The row or the rows that the next mark is put on."""

    def __init__(self, desk: QueueDesk) -> None:
        self._desk = desk

    def action_step(self, how: str) -> None:
        self._desk.view.range_start = None
        self._desk.view.move(how)

    def action_extend(self, how: str) -> None:
        view, keys = self._desk.view, self._desk.keys
        view.range_start = view.index if view.range_start is None else view.range_start
        view.move(how)
        rows = counted(len(view.chosen_rows()), "item")
        marks = ", ".join(filter(None, (keys["range.reviewed"], keys["range.nothing"], keys["item.defer"])))
        self._desk.say(f"{rows} in the range: {marks} or a tag's key marks all of them.")

    async def action_toggle_tag(self, place: int) -> None:
        tag = self._desk.choices[place].id
        await self._mark_rows(ToggleTag(tag), tag)

    async def action_defer(self) -> None:
        await self._mark_rows(Defer(), None)

    async def action_mark_reviewed(self) -> None:
        await self._mark_done(MarkReviewed(), "reviewed")

    async def action_nothing_to_tag(self) -> None:
        """Make the row or the range reviewed without tags; a range that has tags is asked about first."""
        desk, ids = self._desk, self._chosen_ids()
        if len(ids) > 1 and desk.previous != "range.nothing":
            tagged = [view for view in await desk.work.call(desk.table.reviews, ids) if view.tags]
            if tagged:
                tags = sum(len(view.tags) for view in tagged)
                desk.say(tell_tags_in_range(len(ids), len(tagged), tags, desk.keys), refused=True)
                return
        await self._mark_done(NothingToTag(), "nothing")

    async def action_toggle_bookmark(self) -> None:
        await self._mark_rows(Bookmark(), None)

    async def action_next_bookmark(self) -> None:
        """Go to the next row with a bookmark, around the end."""
        desk = self._desk
        index = await desk.work.call(desk.session.next_bookmarked, desk.view.index)
        if index is None:
            desk.say(tell_no_bookmark(len(await desk.work.call(desk.session.bookmarked)), desk.keys))
            return
        desk.view.range_start = None
        desk.view.go_to(index)

    async def action_undo(self) -> None:
        await self._mark(0, Undo())

    async def action_redo(self) -> None:
        await self._mark(0, Redo())

    async def _mark_rows(self, one: Intent, tag: str | None) -> None:
        """Put a mark on the row or the range; where all of the range have it, take it off."""
        desk, ids = self._desk, self._chosen_ids()
        if not ids:
            return
        reviews = await desk.work.call(desk.table.reviews, ids) if isinstance(one, Defer) else []
        intent: Intent = one
        if desk.view.range_start is not None:
            if isinstance(one, Bookmark):
                on = not await desk.work.call(desk.table.all_bookmarked, ids)
            else:
                on = not await desk.work.call(desk.table.all_have, ids, tag)
            intent = MarkAll(ids, on, tag, isinstance(one, Bookmark))
        await self._mark(ids[0], intent, put_off=reviews)

    async def _mark_done(self, one: Intent, done: str) -> None:
        ids = self._chosen_ids()
        if ids:
            in_range = self._desk.view.range_start is not None
            await self._mark(ids[0], MarkAll(ids, True, done=done) if in_range else one, items=len(ids))

    def _chosen_ids(self) -> tuple[int, ...]:
        """Return the items of the range, or of the one row; says why when they cannot be marked, and returns none."""
        desk = self._desk
        places = desk.view.chosen_rows()
        if not places:
            desk.say("There is no item to mark.", refused=True)
        elif len(places) > MOST_AT_ONCE:
            desk.say(f"{len(places):,} items are more than the {MOST_AT_ONCE:,} that one act marks.", refused=True)
        else:
            return tuple(desk.session.queue.ids(places.start, len(places)))
        return ()

    async def _mark(
        self, response_id: int, intent: Intent, *, items: int = 0, put_off: Sequence[ReviewView] = ()
    ) -> None:
        """Save a mark and say what it did: to how many of `items` that it makes reviewed, or of the `put_off`."""
        desk, is_undo = self._desk, isinstance(intent, Undo | Redo)
        outcome = await desk.work.submit(response_id, intent)
        if isinstance(outcome, Refused):
            desk.say(outcome.message, refused=True)
        elif isinstance(outcome, Pending):
            desk.say(desk.work.words_on(outcome), refused=True)
        else:
            words = tell_done(outcome, items) if items else outcome.message
            words += tell_put_off(put_off) if outcome.review.state is ReviewState.DEFERRED else ""
            key = desk.keys["work.undo"]
            undo = f"; {key} undoes it" if key and outcome.recorded and not is_undo else ""
            desk.say(f"{words}{undo}")
        if is_undo and outcome.response_id is not None:
            index = desk.session.index_of(outcome.response_id)
            if index is not None:
                desk.view.range_start = None
                desk.view.go_to(index)
        desk.show_rows()
