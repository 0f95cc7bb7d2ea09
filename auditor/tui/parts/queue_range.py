"""Actions on the rows of the queue: going along them, taking several into a range, marking one or all of these."""

from __future__ import annotations

from auditor.audit.review import Bookmark, Defer, Intent, MarkAll, Pending, Redo, Refused, ToggleTag, Undo
from auditor.text import counted
from auditor.tui.parts.queue_desk import QueueDesk
from auditor.tui.review_sentences import tell_no_bookmark

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
        self._desk.say(f"{rows} in the range: {keys['item.defer']} or a tag's key marks all of them.")

    async def action_toggle_tag(self, place: int) -> None:
        tag = self._desk.session.choices[place].id
        await self._mark_rows(ToggleTag(tag), tag)

    async def action_defer(self) -> None:
        await self._mark_rows(Defer(), None)

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
        desk = self._desk
        places, queue = desk.view.chosen_rows(), desk.session.queue
        if not places:
            desk.say("There is no item to mark.", refused=True)
        elif len(places) > MOST_AT_ONCE:
            desk.say(f"{len(places):,} items are more than the {MOST_AT_ONCE:,} that one act marks.", refused=True)
        elif desk.view.range_start is None:
            await self._mark(queue[places.start], one)
        else:
            ids = tuple(queue.ids(places.start, len(places)))
            if isinstance(one, Bookmark):
                on = not await desk.work.call(desk.table.all_bookmarked, ids)
            else:
                on = not await desk.work.call(desk.table.all_have, ids, tag)
            await self._mark(ids[0], MarkAll(ids, on, tag, isinstance(one, Bookmark)))

    async def _mark(self, response_id: int, intent: Intent) -> None:
        desk, is_undo = self._desk, isinstance(intent, Undo | Redo)
        outcome = await desk.work.submit(response_id, intent)
        if isinstance(outcome, Refused | Pending):
            desk.say(outcome.message, refused=True)
        else:
            undo = "" if is_undo else f"   {desk.keys['work.undo']} undoes it"
            desk.say(f"{outcome.message}{undo}")
        if is_undo and outcome.response_id is not None:
            index = desk.session.index_of(outcome.response_id)
            if index is not None:
                desk.view.range_start = None
                desk.view.go_to(index)
        desk.show_rows()
