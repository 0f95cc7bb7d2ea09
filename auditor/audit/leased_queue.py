"""A session's queue when several people take items of it: only what this session holds is gone to, and why nothing is.

Without an overlap it is the plain queue. Marks are never refused: an item that somebody else holds can be marked, and
the session says that it is held.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from auditor.audit.leasing import LeaseKeeper, Place
from auditor.audit.queue_ids import Waiting
from auditor.audit.queue_states import QueueStates
from auditor.audit.queue_words import describe_all_done
from auditor.audit.session_queue import SessionQueue
from auditor.errors import FileBusyError, NothingFreeError
from auditor.model import ReviewState
from auditor.store.file import now, translate
from auditor.store.history import uuid7
from auditor.store.leases import Claim, Lease, Standing, leases_of_others, standing
from auditor.store.queue import ReviewItem, last_reviewed_response
from auditor.text import counted, visible_line

_PATIENCE = 0.2
"""Seconds that more items are waited for when none of the known ones is free."""
_DONE = (ReviewState.REVIEWED, ReviewState.DEFERRED)
_NAMES_SHOWN = 3
_HALF_A_DAY = timedelta(hours=12)


class LeasedQueue(SessionQueue):
    """A queue of which a session takes items, when it has an overlap."""

    _leases: LeaseKeeper | None = None

    def share(self, overlap: int) -> None:
        """Take items from now on, so that at most so many people review each; `start_index` takes the first.

        Raises AuditFileError when the file cannot be written.
        """
        self.overlap = overlap
        self._leases = LeaseKeeper(self.path, Claim(self._actor.annotator_id, self._actor.book.id, uuid7(), overlap))

    def start_index(self, waiting: Waiting | None = None) -> int:
        """Return where to begin: at the item acted on last if it is open and free, or else the next free one.

        Where the annotator has reviewed or deferred all, it is as without an overlap. It waits until that is known.
        Raises NothingFreeError when something is open and nothing is free.
        """
        if self._leases is None:
            return super().start_index(waiting)
        try:
            index = self._start(self._leases, waiting)
            self._leases.begin()
            return index
        except sqlite3.Error as error:
            raise translate(error, self.path) from error

    def _start(self, leases: LeaseKeeper, waiting: Waiting | None) -> int:
        if leases.place is not None and leases.place.own.of(leases.place.index) not in _DONE:
            return leases.place.index
        with self._lock:
            last = last_reviewed_response(self._reader, self._actor)
            expected = last is not None and self._is_expected(last)
        if last is not None and expected:
            self.queue.wait_telling(lambda: self.index_of(last) is not None, waiting)
        after = -1 if last is None else self.index_of(last)
        if last is not None and after is not None and self._own.of(after) not in _DONE:
            place = Place(self.queue, self._own, after, last)
            if leases.take_here(place):
                leases.stand_at(place)
                return after
        while True:
            known, complete = len(self.queue), self.queue.complete
            index = leases.next_after(Place(self.queue, self._own, -1 if after is None else after))
            if index is not None:
                return index
            if leases.problem is not None:
                raise leases.problem
            if complete and not self._open_items():
                return super().start_index(waiting)
            if complete:
                hint = "Try again later; without --overlap the review has all items."
                raise NothingFreeError(self.why_none(), hint)
            self.queue.wait_telling(partial(self._has_more_than, known), waiting)

    def next_open(self, index: int) -> int | None:
        """Return the next item after an index, around the end, that is open and that this session holds now."""
        if self._leases is None:
            return super().next_open(index)
        own = self._own
        self.queue.wait_until(lambda: own.next_open(index, wrap=False) is not None, _PATIENCE)
        return self._leases.next_after(Place(self.queue, own, index))

    def stand_at(self, response_id: int, index: int) -> None:
        """Say which item is on the screen, and the place that the queue goes on from."""
        if self._leases is not None:
            self._leases.stand_at(Place(self.queue, self._own, index, response_id))

    def holds(self, response_id: int) -> bool:
        """Say whether an item is this session's to review; without an overlap every item is."""
        return self._leases is None or self._leases.holds(response_id)

    def standing(self, response_id: int) -> Standing | None:
        """Say what stands against reviewing an item within the overlap; None when nothing does.

        In a blind review it says that something does, and not what.
        """
        if self._leases is None or self._leases.holds(response_id):
            return None
        with self._lock:
            found = standing(self._reader, self._leases.claim, response_id, now())
        if found.free:
            return None
        return Standing(False, 0, (), None) if self.blind else found

    def _with_standing(self, item: ReviewItem) -> ReviewItem:
        if self._leases is None or item.review.state is ReviewState.REVIEWED:
            return item
        return replace(item, standing=self.standing(item.response_id))

    @property
    def waits_for_another_process(self) -> bool:
        """Say whether another process's write kept the next item from being taken when that was tried last."""
        return self._leases is not None and isinstance(self._leases.problem, FileBusyError)

    # --- in words --------------------------------------------------------------------------------------------------

    def why_none(self) -> str:
        """Say why there is no next item."""
        open_ones = self._open_items()
        if self._leases is None or not open_ones:
            return describe_all_done(self.queue_progress())
        if self.waits_for_another_process:
            return "Another process is writing to the file: the next item comes as soon as it can be taken."
        if self._leases.problem is not None:
            return str(self._leases.problem)
        if self.blind:
            return "Nothing is free for you in this queue now."
        with self._lock:
            others = leases_of_others(self._reader, self._leases.claim, now())
        return describe_nothing(others, self._own, self._leases.claim.overlap, self.annotator)

    def _has_more_than(self, known: int) -> bool:
        return len(self.queue) > known

    def _open_items(self) -> int:
        return self._own.count_open()

    def _close_leases(self, *, give_back: bool) -> None:
        if self._leases is not None:
            self._leases.close(give_back=give_back)


def describe_standing(standing: Standing, overlap: int) -> str:
    """Say what stands against reviewing an item; a mark on it is kept all the same."""
    kept = "A mark is kept all the same."
    if standing.elsewhere is not None:
        return f"You hold this item in another session until {clock(standing.elsewhere)}. {kept}"
    if standing.holders:
        return f"This item is held by {_people(standing.holders)}. {kept}"
    if standing.reviewers:
        return f"This item has {counted(overlap, 'reviewer')} already. {kept}"
    return f"This item is not yours to review. {kept}"


def _people(holders: Sequence[Lease]) -> str:
    shown = [f"{visible_line(one.annotator, 40)} until {clock(one.expires_at)}" for one in holders[:_NAMES_SHOWN]]
    more = len(holders) - len(shown)
    return ", ".join([*shown, *([counted(more, "other")] if more > 0 else [])])


def describe_nothing(others: Sequence[Lease], own: QueueStates, overlap: int, annotator: str) -> str:
    """Say that nothing is free of what the annotator has open: what others hold until when, what has its reviewers."""
    held = [lease for lease in others if own.is_open(lease.response_id)]
    done = own.count_open() - len({lease.response_id for lease in held})
    parts = [describe_held(held, annotator)] if held else []
    if done:
        noun = "" if held else " item" if done == 1 else " items"
        parts.append(f"{done:,}{noun} {'has' if done == 1 else 'have'} {counted(overlap, 'reviewer')}")
    return f"Nothing is free: {'; '.join(parts)}."


def describe_held(leases: Sequence[Lease], annotator: str) -> str:
    """Say who holds items until when: `3 items are held by ben until 14:05, 1 by cem until 14:07`.

    What `annotator` holds is held by `you, in another session`.
    """
    items: dict[str, set[int]] = {}
    until: dict[str, str] = {}
    for lease in leases:
        items.setdefault(lease.annotator, set()).add(lease.response_id)
        until[lease.annotator] = max(lease.expires_at, until.get(lease.annotator, ""))
    names = sorted(items, key=lambda name: (-len(items[name]), name))
    parts: list[str] = []
    for name in names[:_NAMES_SHOWN]:
        number = len(items[name])
        held = "" if parts else " item is held" if number == 1 else " items are held"
        who = "you, in another session," if name == annotator else visible_line(name, 40)
        parts.append(f"{number:,}{held} by {who} until {clock(until[name])}")
    if len(names) > _NAMES_SHOWN:
        more = set[int]().union(*(items[name] for name in names[_NAMES_SHOWN:]))
        parts.append(f"{len(more):,} by {counted(len(names) - _NAMES_SHOWN, 'other')}")
    return ", ".join(parts)


def clock(at: str) -> str:
    """Return a stored time as a clock on the wall shows it, with the date where it is far enough off to need one."""
    then = datetime.fromisoformat(at)
    far = abs(then - datetime.now(UTC)) > _HALF_A_DAY
    return f"{then.astimezone():{'%Y-%m-%d %H:%M' if far else '%H:%M'}}"
