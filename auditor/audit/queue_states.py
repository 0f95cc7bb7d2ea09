"""How far one annotator is in a queue: counted as the queue grows, from the own reviews, without a scan."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping

from auditor.audit.queue_ids import ReviewQueue
from auditor.model import ReviewState

_OPEN, _REVIEWED, _DEFERRED, _ASIDE = range(4)
_CODES = {
    ReviewState.NOT_REVIEWED: _OPEN,
    ReviewState.IN_PROGRESS: _OPEN,
    ReviewState.REVIEWED: _REVIEWED,
    ReviewState.DEFERRED: _DEFERRED,
}


class QueueStates:
    """The states of a queue's items; every method may be called from any thread and waits for no file."""

    def __init__(self, queue: ReviewQueue, states: Mapping[int, ReviewState]) -> None:
        """Begin with the states of all items that the annotator touched, in the queue or not, by response id."""
        self._queue = queue
        self._lock = threading.Lock()
        self._states = dict(states)
        self._elsewhere = set(states)
        """Touched items that are not among the queue's known ones."""
        self._counts: Counter[ReviewState] = Counter()
        self._codes = bytearray()
        """One an item: what is open is found without looking at each in turn."""

    def all(self) -> dict[int, ReviewState]:
        """Return the states of all items that were touched, by response id."""
        with self._lock:
            return dict(self._states)

    def of(self, index: int) -> ReviewState:
        """Return the state of the item at a place."""
        return self._states.get(self._queue[index], ReviewState.NOT_REVIEWED)

    def remember(self, response_id: int, state: ReviewState) -> None:
        """Take in what an action made of an item."""
        with self._lock:
            self._catch_up()
            index = self._queue.index_of(response_id)
            before = self._states.get(response_id, ReviewState.NOT_REVIEWED)
            self._states[response_id] = state
            if index is None or index >= len(self._codes):
                self._elsewhere.add(response_id)
                return
            self._counts[before] -= 1
            self._counts[state] += 1
            self._codes[index] = _CODES[state]

    def counts(self) -> dict[ReviewState, int]:
        """Count the known items of the queue by state."""
        with self._lock:
            self._catch_up()
            counts = {state: self._counts[state] for state in ReviewState}
            touched = sum(counts.values()) - counts[ReviewState.NOT_REVIEWED]
            return counts | {ReviewState.NOT_REVIEWED: len(self._codes) - touched}

    def count_open(self) -> int:
        """Count the known items of the queue that are neither reviewed nor deferred."""
        counts = self.counts()
        return counts[ReviewState.NOT_REVIEWED] + counts[ReviewState.IN_PROGRESS]

    def is_open(self, response_id: int) -> bool:
        """Say whether an item is among the known ones of the queue and neither reviewed nor deferred."""
        return self._queue.index_of(response_id) is not None and _CODES[self.state_of(response_id)] == _OPEN

    def next_open(self, index: int, *, wrap: bool = True) -> int | None:
        """Return the next known item after an index that is neither reviewed nor deferred, wrapping around."""
        with self._lock:
            self._catch_up()
            at = self._codes.find(_OPEN, index + 1)
            if at < 0 and wrap:
                at = self._codes.find(_OPEN, 0, index + 1)
            return at if at >= 0 else None

    def previous_open(self, index: int) -> int | None:
        """Return the item before an index, and behind the first one the last, that is neither reviewed nor deferred."""
        with self._lock:
            self._catch_up()
            at = self._codes.rfind(_OPEN, 0, max(0, index))
            if at < 0:
                at = self._codes.rfind(_OPEN, max(0, index))
            return at if at >= 0 else None

    def open_before(self, index: int) -> int:
        """Count the items before an index that are neither reviewed nor deferred."""
        with self._lock:
            self._catch_up()
            return self._codes.count(_OPEN, 0, max(0, index))

    def open_places(self, start: int, stop: int, most: int) -> list[int]:
        """Return the first places in a range whose items are neither reviewed nor deferred, nor set aside."""
        with self._lock:
            self._catch_up()
            places: list[int] = []
            at = self._codes.find(_OPEN, start, stop)
            while at >= 0 and len(places) < most:
                places.append(at)
                at = self._codes.find(_OPEN, at + 1, stop)
            return places

    def set_aside(self, index: int) -> None:
        """Pass over an open item, until it is marked or all that was set aside is taken back; counts stay."""
        with self._lock:
            if index < len(self._codes) and self._codes[index] == _OPEN:
                self._codes[index] = _ASIDE

    def take_back(self) -> int:
        """Pass over nothing any more; return how many items were set aside."""
        with self._lock:
            aside = self._codes.count(_ASIDE)
            self._codes = self._codes.replace(bytes([_ASIDE]), bytes([_OPEN]))
            return aside

    def state_of(self, response_id: int) -> ReviewState:
        """Return the state of an item, in the queue or not."""
        return self._states.get(response_id, ReviewState.NOT_REVIEWED)

    def first_deferred(self) -> int | None:
        """Return the first known item that is deferred."""
        with self._lock:
            self._catch_up()
            at = self._codes.find(_DEFERRED)
            return at if at >= 0 else None

    def _catch_up(self) -> None:
        start, known = len(self._codes), len(self._queue)
        if start == known:
            return
        self._codes.extend(bytes(known - start))
        if not self._elsewhere:
            return
        for response_id in list(self._elsewhere):
            index = self._queue.index_of(response_id)
            if index is not None and index < known:
                state = self._states[response_id]
                self._codes[index] = _CODES[state]
                self._counts[state] += 1
                self._elsewhere.discard(response_id)
