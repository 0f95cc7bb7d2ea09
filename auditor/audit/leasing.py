"""The items that a review holds: a few ahead of the one on the screen, renewed while it is open, given back at the end.

    keeper.next_after(place)      the place of the next item that this session holds, taken now where none is held yet
    keeper.stand_at(place)        says what is on the screen; a thread takes what comes after it and renews what is held
    keeper.holds(response_id)     whether this session holds an item
    keeper.problem                why nothing could be taken: another process keeps the file from being written

Nothing here waits for another process's write longer than `WRITE_SECONDS`: what is held already is gone on with.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.queue_states import QueueStates
from auditor.errors import AuditFileError
from auditor.model import ReviewState
from auditor.store.file import BUSY_SECONDS, limit_cache, now, open_file, transaction, translate
from auditor.store.leases import (
    CLOCK_SECONDS,
    LEASE_SECONDS,
    Claim,
    drop_expired,
    expiry,
    look_at,
    release,
    renew,
    take,
)

AHEAD = 3
"""Items that are held beside the one on the screen."""
WRITE_SECONDS = 0.05
"""How long another process's write is waited for."""
CLOSE_SECONDS = 1.0
"""How long it is waited for when everything is given back."""
RETRY_SECONDS = 0.5
"""How long the thread waits after a try that failed."""
WATCH_SECONDS = 5.0
"""How often the thread looks at the clock, which goes on while the computer sleeps."""
RENEW_BELOW = LEASE_SECONDS - 60
"""A lease that lasts no longer than so many seconds is renewed."""
_RELOOK_SECONDS = 60.0
"""How often what had all its reviews is looked at again: only an undo of somebody frees it."""
_FEW, _MANY = 16, 4096
"""Items that are looked at together, at first and at most."""
_DONE = (ReviewState.REVIEWED, ReviewState.DEFERRED)
_UNTOUCHED = (ReviewState.NOT_REVIEWED, ReviewState.DEFERRED)
"""What is given back when it is left: what was begun is kept for its tags, and what was reviewed for an undo."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in which queue a review stands."""

    queue: ReviewQueue
    own: QueueStates
    index: int
    """-1 = before the first item."""
    response_id: int | None = None
    """The item on the screen, which an undo may bring from outside the queue."""


class LeaseKeeper:
    """Holds items for one session. Every method may be called from any thread."""

    def __init__(self, path: Path, claim: Claim) -> None:
        """Open the file; until `begin` a writer is waited for as every command does."""
        self._path = path
        self.claim = claim
        self._connection = open_file(path, busy_seconds=BUSY_SECONDS)
        limit_cache(self._connection)
        # A lease that a power cut takes away holds nothing any more anyway, so no disk is waited for.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._file = threading.RLock()
        """Whoever has it uses the connection, or changes what is held."""
        self._changed = threading.Condition()
        """Guards what follows; nobody who has it waits for the file."""
        self._place: Place | None = None
        self._held: dict[int, str] = {}
        """Until when, by response id."""
        self._ahead: list[int] = []
        """What is held and comes next, in order."""
        self._stale = self._closing = False
        self.problem: AuditFileError | None = None
        """Why nothing could be taken when that was tried last."""
        self._look_again_at = 0.0
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Look after what is held from now on, and wait for no other process any more."""
        if self._thread is not None:
            return
        with self._file:
            self._connection.execute(f"PRAGMA busy_timeout = {int(WRITE_SECONDS * 1000)}")
        self._thread = threading.Thread(target=self._look_after, name="leases", daemon=True)
        self._thread.start()

    def close(self, *, give_back: bool) -> None:
        """Stop looking after what is held, and let go of the file; what is not given back expires."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        with self._file:
            # What cannot be given back now expires by itself.
            with suppress(sqlite3.Error):
                if give_back:
                    self._connection.execute(f"PRAGMA busy_timeout = {int(CLOSE_SECONDS * 1000)}")
                    with transaction(self._connection):
                        release(self._connection, self.claim.session)
            self._connection.close()

    def holds(self, response_id: int) -> bool:
        """Say whether this session holds an item now; a lease that was taken before the clock was set back is none."""
        at = now()
        return at < self._held.get(response_id, "") <= expiry(at, LEASE_SECONDS + CLOCK_SECONDS)

    @property
    def place(self) -> Place | None:
        """Return what is on the screen."""
        return self._place

    def stand_at(self, place: Place) -> None:
        """Say what is on the screen: what comes after it is taken, and what was left behind is given back."""
        with self._changed:
            if place.response_id in self._ahead:
                self._ahead = self._ahead[self._ahead.index(place.response_id) + 1 :]
            elif self._place is None or place.response_id != self._place.response_id:
                # What comes next is another now, which has to be looked for first.
                self._ahead = []
            self._place, self._stale = place, True
            self._changed.notify_all()

    def next_after(self, place: Place) -> int | None:
        """Return the place of the next item that this session holds, after one and around the end of the queue.

        What is held ahead is gone on with; where nothing is, the next free item is taken now. None when nothing is
        free, or `problem` says why nothing can be taken.
        """
        index = self._next_held(place)
        if index is not None:
            return index
        with self._file:
            try:
                self.problem = None
                found = self._take_after(place, 1)
            except sqlite3.Error as error:
                self.problem = translate(error, self._path)
                return None
            if not found:
                return None
            index = place.queue.index_of(found[0])
            assert index is not None
            self.stand_at(Place(place.queue, place.own, index, found[0]))
            return index

    def take_here(self, place: Place) -> bool:
        """Take the item on the screen; say whether it is held now. Raises sqlite3.Error when that cannot be known."""
        assert place.response_id is not None
        with self._file:
            if not self.holds(place.response_id):
                self._write([place.response_id], ())
            return self.holds(place.response_id)

    def _next_held(self, place: Place) -> int | None:
        with self._changed:
            for response_id in self._ahead:
                index = place.queue.index_of(response_id)
                if index is not None and place.own.of(index) not in _DONE and self.holds(response_id):
                    self.stand_at(Place(place.queue, place.own, index, response_id))
                    return index
        return None

    # --- taking ----------------------------------------------------------------------------------------------------

    def _take_after(self, place: Place, count: int) -> list[int]:
        """Hold the next items after a place; return them in the queue's order, fewer when no more are free."""
        while True:
            wanted = self._free_after(place, count)
            fresh = [one for one in wanted if not self.holds(one)]
            if fresh:
                self._write(fresh, ())
            if all(map(self.holds, wanted)):
                return wanted
            # What looked free was taken by somebody at this moment, or its reply was replaced: others are looked for.
            for response_id in wanted:
                index = place.queue.index_of(response_id)
                if index is not None and not self.holds(response_id):
                    place.own.set_aside(index)

    def _free_after(self, place: Place, count: int) -> list[int]:
        """Return the next items after a place that are held or free, around the end of the queue; nothing is taken."""
        found: list[int] = []
        for start, stop in ((place.index + 1, len(place.queue)), (0, place.index + 1)):
            self._look_through(place, start, stop, count, found)
        if found or not self._may_look_again() or not place.own.take_back():
            return found
        return self._free_after(place, count)

    def _look_through(self, place: Place, start: int, stop: int, count: int, found: list[int]) -> None:
        """Add free items of a range to those that were found, until they are so many."""
        size = _FEW
        while len(found) < count and start < stop and not self._closing:
            places = place.own.open_places(start, stop, size)
            if not places:
                return
            ids = [place.queue[one] for one in places]
            looked = look_at(self._connection, self.claim, ids, now())
            free, done = set(looked.free), set(looked.done)
            for index, response_id in zip(places, ids, strict=True):
                if response_id in done:
                    place.own.set_aside(index)
                elif response_id in free and len(found) < count:
                    found.append(response_id)
            start, size = places[-1] + 1, min(_MANY, 2 * size)

    def _may_look_again(self) -> bool:
        at = time.monotonic()
        if self._closing or at < self._look_again_at:
            return False
        self._look_again_at = at + _RELOOK_SECONDS
        return True

    def _write(self, wanted: Sequence[int], left: Sequence[int]) -> None:
        """Take and give back items in one transaction, and renew what is held where that is due."""
        at = now()
        until, held = expiry(at, LEASE_SECONDS), dict(self._held)
        with transaction(self._connection):
            release(self._connection, self.claim.session, left)
            for response_id in left:
                held.pop(response_id, None)
            # Before what holds nothing is taken out: where the clock was set back, that is what is renewed here.
            if _are_due(held, at):
                held = dict.fromkeys(renew(self._connection, self.claim.session, at, until), until)
            drop_expired(self._connection, at)
            held |= dict.fromkeys(take(self._connection, self.claim, wanted, len(wanted), at, until), until)
        self._held = held

    # --- looking after ---------------------------------------------------------------------------------------------

    def _look_after(self) -> None:
        pause = WATCH_SECONDS
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stale or self._closing, pause)
                if self._closing:
                    return
                self._stale = False
            pause = WATCH_SECONDS
            try:
                with self._file:
                    self._tend()
            except sqlite3.Error:
                pause = RETRY_SECONDS

    def _tend(self) -> None:
        """Hold what is on the screen and what comes next, and nothing that was left behind untouched."""
        place = self._place
        if place is None:
            return
        here = place.response_id
        following = [one for one in self._free_after(place, AHEAD + 1) if one != here][:AHEAD]
        wanted = [one for one in following if not self.holds(one)]
        if here is not None and not self.holds(here) and place.own.state_of(here) not in _DONE:
            wanted.insert(0, here)
        left = [
            one for one in self._held if one != here and one not in following and place.own.state_of(one) in _UNTOUCHED
        ]
        if wanted or left or _are_due(self._held, now()):
            self._write(wanted, left)
        with self._changed:
            # The screen may have gone on meanwhile, along what was held ahead.
            now_here = place.response_id if self._place is None else self._place.response_id
            at = following.index(now_here) + 1 if now_here in following else 0
            if at or now_here == here:
                self._ahead = [one for one in following[at:] if self.holds(one)]


def _are_due(held: Mapping[int, str], at: str) -> bool:
    """Say whether leases have to be renewed: one ends soon, or later than any does, so that the clock was set back."""
    return any(not expiry(at, RENEW_BELOW) <= end <= expiry(at, LEASE_SECONDS) for end in held.values())
