"""The items of a queue as row ids, in order; they may still be on their way while the first ones are reviewed.

    queue = find_queue(path, selection, description)     starts looking in a thread of its own
    len(queue)                                           how many items are known so far; grows until `complete`
    queue.complete, queue.progress, queue.error          whether, how far, and what went wrong (an AuditorError or None)
    queue.ids(start, count), queue.index_of(response_id) a window, and a place in it in constant time
    queue.wait_for_rows(count, seconds)                  True when so many are known, or no more will come
    queue.make_way()                                     lets a key go first
    queue.cancel()                                       stops looking at once; what is known stays

An item's place never changes. Every method may be called from any thread.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from array import array
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from auditor.errors import AuditorError
from auditor.store.file import limit_cache, open_for_reading, translate
from auditor.store.selection import Search, Selection
from auditor.text import visible_line

_STEPS = 10_000
"""Of SQLite's machine, between two looks at whether to stop or to rest: about a millisecond."""
STARTING_STEPS = 200_000
"""The same until a first item is found, where the screens are imported meanwhile: each look would wait for its turn."""
_WAITING_SECONDS = 0.1
"""Between two reports of how far the search is."""

KEY_SECONDS = 0.06
"""What a key takes until its last byte is written, and a bit more."""
STARTING_SECONDS = 0.6
"""What the screens take to come up: as long only the first item is needed."""
_LONGEST_REST_SECONDS, _AWAKE_SECONDS = 0.25, 0.012
"""Under keys without end the search goes on for a moment now and then."""

Waiting = Callable[[int, int], None]
"""Is told how much was looked at, and of how much, while somebody waits."""


class QueueProgress(NamedTuple):
    """How far the search for a queue's items is."""

    found: int
    scanned: int
    total: int
    """In the unit of `scanned`; 0 = not known yet."""
    complete: bool
    """Whether no more items will come."""
    ended_early: str | None = None
    """A sentence on why the search ended before all items were found."""

    @property
    def is_whole(self) -> bool:
        """Say whether all items of the queue are known."""
        return self.complete and self.ended_early is None


class ReviewQueue:
    """Row ids in an array, and the place of each by row id; grows while a search runs."""

    def __init__(self, ids: Sequence[int] = (), description: str = "", selection: Selection | None = None) -> None:
        """Make a queue of known items, or an empty one that a search for a selection fills."""
        self.description = description
        """The queue in a few words, for the header."""
        self.selection = selection
        """What is searched for; None = the items were given."""
        self.error: AuditorError | None = None
        """Why the search ended early; what was found before stays in the queue."""
        self._changed = threading.Condition()
        self._ids = array("q")
        self._places = array("i")
        """By row id; -1 = not in the queue."""
        self._scanned = self._total = 0
        self._complete = selection is None
        self._cancelled = False
        self._ended_early: str | None = None
        self._rest_until = self._awake_until = 0.0
        self._waiting = 0
        """How many threads wait for more items."""
        self._thread: threading.Thread | None = None
        self._add(ids)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def complete(self) -> bool:
        """Say whether no more items will come."""
        return self._complete

    @property
    def progress(self) -> QueueProgress:
        """Say how far the search is."""
        with self._changed:
            return QueueProgress(len(self._ids), self._scanned, self._total, self._complete, self._ended_early)

    def __getitem__(self, index: int) -> int:
        return self._ids[index]

    def ids(self, start: int = 0, count: int | None = None) -> array[int]:
        """Return the ids of a window, or from a place on all that are known."""
        return self._ids[start:] if count is None else self._ids[start : start + count]

    def index_of(self, response_id: int) -> int | None:
        """Return an item's place; None when it is not among those that are known."""
        if not 0 <= response_id < len(self._places):
            return None
        place = self._places[response_id]
        return place if place >= 0 else None

    def wait_for_rows(self, count: int, seconds: float | None = None) -> bool:
        """Wait until so many items are known or no more will come; False when the time is over before."""
        return self.wait_until(lambda: len(self._ids) >= count, seconds)

    def wait_until(self, reached: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until something is so, which is asked again after each growth, or no more will come."""
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(lambda: self._complete or reached(), seconds)
            finally:
                self._waiting -= 1

    def wait_telling(self, reached: Callable[[], bool], waiting: Waiting | None) -> None:
        """Wait as long as it takes, and say now and then how far the search is; raises the error that ended it."""
        while not self.wait_until(reached, _WAITING_SECONDS):
            if waiting is not None:
                waiting(self._scanned, self._total)
        if self.error is not None:
            raise self.error

    def make_way(self, seconds: float = KEY_SECONDS) -> None:
        """Let the search rest so long, but for a moment now and then, unless more items are waited for."""
        self._rest_until = time.monotonic() + seconds

    def cancel(self) -> None:
        """Stop looking for more, and wait for the moment that this takes; what is known stays."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    # --- the search ------------------------------------------------------------------------------------------------

    def start(self, connection: sqlite3.Connection, path: Path, search: Search, steps: int = _STEPS) -> None:
        """Begin to fill the queue in a thread, which closes the connection when it is done."""
        connection.set_progress_handler(self._rest, steps)
        target = self._fill
        self._thread = threading.Thread(target=target, args=(connection, path, search), name="queue", daemon=True)
        self._thread.start()

    def _fill(self, connection: sqlite3.Connection, path: Path, search: Search) -> None:
        error: AuditorError | None = None
        stopped = False
        try:
            with closing(connection):
                # One state of the file from the first piece to the last, whatever others write meanwhile.
                connection.execute("BEGIN")
                for piece in search.pieces():
                    if len(piece.ids) and not len(self):
                        connection.set_progress_handler(self._rest, _STEPS)
                    self._add(piece.ids, piece.scanned, piece.total)
                    if stopped := self._rest():
                        break
        except sqlite3.Error as failed:
            stopped = self._cancelled
            error = None if stopped else translate(failed, path)
        except Exception as failed:
            error = AuditorError(f"the queue cannot be made: {type(failed).__name__}: {visible_line(str(failed))}.")
        with self._changed:
            if stopped:
                self._ended_early = "The search for more was stopped."
            elif error is not None:
                self._ended_early = f"The search for more ended early: {error}"
            self.error, self._complete = error, True
            self._changed.notify_all()

    def _rest(self) -> bool:
        """Rest as long as keys go first; say whether to stop. SQLite asks this in the middle of a query too."""
        now = time.monotonic()
        if self._awake_until <= now < self._rest_until and not self._cancelled:
            latest = now + _LONGEST_REST_SECONDS
            with self._changed:
                while now < min(self._rest_until, latest) and not (self._waiting or self._cancelled):
                    self._changed.wait(min(self._rest_until, latest) - now)
                    now = time.monotonic()
            if now >= latest:
                self._awake_until = now + _AWAKE_SECONDS
        return self._cancelled

    def _add(self, ids: Sequence[int], scanned: int = 0, total: int = 0) -> None:
        with self._changed:
            self._scanned, self._total = scanned, total
            if len(ids):
                places, at = self._places, len(self._ids)
                places.extend(array("i", [-1]) * (max(ids) + 1 - len(places)))
                for place, response_id in enumerate(ids, at):
                    places[response_id] = place
                # Last, since this is what says that they are there.
                self._ids.extend(ids if isinstance(ids, array) else array("q", ids))
            self._changed.notify_all()


def find_queue(path: Path, selection: Selection, description: str = "", steps: int = _STEPS) -> ReviewQueue:
    """Begin to look for the items of a selection, in a thread with a connection of its own.

    Until one is found it looks every so many steps of SQLite's machine whether to stop or to rest. Raises InputError
    for a filter, order or group that the file does not know, and AuditFileError for the file.
    """
    connection = open_for_reading(path)
    try:
        limit_cache(connection)
        search = Search(connection, selection)
    except BaseException:
        connection.close()
        raise
    queue = ReviewQueue((), description, selection)
    queue.start(connection, path, search, steps)
    return queue
