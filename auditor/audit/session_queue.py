"""The queue that a review session goes through: opened, replaced, waited for, counted. No item is read here.

    session.find_items(where, order, seed=)         begins to look for other items, which `use_queue` takes
    session.use_queue(queue)                        goes through these from now on, and returns the queue before
    session.queue, session.queue_progress()         the ReviewQueue, and how far the search for its items is
    session.wait_for_rows(count, seconds)           True when so many are known, or no more will come
    len(session), session.index_of(id), session.next_open(index), session.counts(), session.start_index()

All of these speak of the items that are known so far; `queue_progress().complete` says whether that is all of them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from auditor.audit.blindness import order_and_seed, why_not_begun, why_not_filtered
from auditor.audit.queue_ids import KEY_SECONDS, QueueProgress, ReviewQueue, Waiting, find_queue
from auditor.audit.queue_states import QueueStates
from auditor.audit.review_answers import describe_queue, queue_kind
from auditor.errors import InputError
from auditor.model import ReviewState
from auditor.store.expr import And, Expr, parse
from auditor.store.file import open_for_reading
from auditor.store.filter import Vocabulary
from auditor.store.history import Actor
from auditor.store.queue import annotator_states, last_reviewed_response
from auditor.store.queue_cells import several_valued
from auditor.store.selection import Search, Selection

_PATIENCE = 0.2
"""Seconds that the next open item is waited for when none of the known ones after this one is open."""
_DONE = (ReviewState.REVIEWED, ReviewState.DEFERRED)


class SessionQueue:
    """One annotator's place in a queue. Every method may be called from any thread."""

    def __init__(
        self, path: Path, annotator: str, actor: Actor, queue: ReviewQueue, *, again: bool, outdated: Sequence[int]
    ) -> None:
        """`outdated` are items that count as open, although they are reviewed, until they are marked again."""
        self.path = path
        self.annotator = annotator
        self.queue = queue
        """What the review goes through."""
        self._actor = actor
        self._again = again
        self._reader = open_for_reading(path)
        self._lock = threading.RLock()
        states = annotator_states(self._reader, actor) | dict.fromkeys(outdated, ReviewState.IN_PROGRESS)
        self._own = QueueStates(queue, states)
        self._common = _terms(queue.selection.where) if queue.selection else ()
        self._searches = [queue]
        """The queues that may still grow."""
        self.blind = False
        self.overlap: int | None = None
        """The most people who review an item, where items are taken; None = nobody counts."""
        self.hidden: frozenset[str] = frozenset()
        """Names of the dimensions that no list of items may show; of one item see `ReviewItem.hidden`."""

    def __len__(self) -> int:
        return len(self.queue)

    @property
    def description(self) -> str:
        """Say in a few words which items these are."""
        return self.queue.description

    def queue_progress(self) -> QueueProgress:
        """Say how many items are known, and how far the search for more is."""
        return self.queue.progress

    def wait_for_rows(self, count: int, seconds: float | None = None) -> bool:
        """Wait until so many items are known or no more will come; False when the time is over before."""
        return self.queue.wait_for_rows(count, seconds)

    def find_items(self, where: str = "", order: str | None = None, *, seed: int = 0) -> ReviewQueue:
        """Begin to look for other items; without an order the smallest program first, in a blind review random.

        Raises InputError for what the file does not know, and for what would tell what this review hides.
        """
        chosen, own = order_and_seed(order, seed, self.annotator, blind=self.blind)
        with self._lock:
            self._refuse_telling(where, chosen)
        kind = queue_kind(blind=self.blind, overlap=self.overlap)
        words = describe_queue(where, chosen, seed, None, (), kind=kind, own_seed=own if self.blind else None)
        queue = find_queue(self.path, Selection(where, chosen, own, notes=not self.blind), words)
        self._searches = [one for one in self._searches if not one.complete] + [queue]
        return queue

    @property
    def again(self) -> bool:
        """Say whether own items come back as fresh ones."""
        return self._again

    def use_queue(self, queue: ReviewQueue) -> ReviewQueue:
        """Go through these items from now on; return the queue before, which goes on growing until it is cancelled."""
        with self._lock:
            before, self.queue = self.queue, queue
            self._own = QueueStates(queue, self._own.all())
            return before

    def start_index(self, waiting: Waiting | None = None) -> int:
        """Return where to begin: at the item acted on last or else the next one that is open.

        When none is open, at the first deferred one; when all are reviewed, at the item acted on last. It waits until
        that is known, and tells meanwhile how far the search is. Raises the error that ended the search.
        """
        with self._lock:
            last = last_reviewed_response(self._reader, self._actor)
            expected = last is not None and self._is_expected(last)
        if last is not None and expected:
            self.queue.wait_telling(lambda: self.index_of(last) is not None, waiting)
        index = None if last is None else self.index_of(last)
        if index is not None and self._own.of(index) not in _DONE:
            return index
        after = -1 if index is None else index
        self.queue.wait_telling(lambda: self._own.next_open(after, wrap=False) is not None, waiting)
        following = self._own.next_open(after)
        if following is None:
            following = self._own.first_deferred()
        return following if following is not None else index or 0

    def index_of(self, response_id: int) -> int | None:
        """Return an item's place in the queue; None when it is not among the known ones."""
        return self.queue.index_of(response_id)

    def next_open(self, index: int) -> int | None:
        """Return the next item after an index, wrapping around, that is neither reviewed nor deferred.

        While more items are being found it waits a moment for one that comes after the index.
        """
        own = self._own
        self.queue.wait_until(lambda: own.next_open(index, wrap=False) is not None, _PATIENCE)
        return own.next_open(index)

    def previous_open(self, index: int) -> int | None:
        """Return the last known item before an index that is open; where none is, the last open one of all."""
        return self._own.previous_open(index)

    def first_open(self) -> int | None:
        """Return the first item that is neither reviewed nor deferred."""
        return self._own.next_open(-1)

    def open_before(self, index: int) -> int:
        """Count the open items before an index."""
        return self._own.open_before(index)

    def counts(self) -> dict[ReviewState, int]:
        """Count the known items of the queue by state; it waits for no write."""
        return self._own.counts()

    def has_samples(self) -> bool:
        """Say whether the file has more than one sample of anything."""
        with self._lock:
            return several_valued(self._reader)["sample"]

    def make_way(self, seconds: float = KEY_SECONDS) -> None:
        """Let what the person does go before the searches for items, so long."""
        for queue in self._searches:
            queue.make_way(seconds)

    def stop_searching(self) -> None:
        """Stop looking for items, at once."""
        for queue in self._searches:
            queue.cancel()

    def _is_expected(self, response_id: int) -> bool:
        """Say whether an item that is not among the known ones may still be found."""
        selection = self.queue.selection
        if self.queue.complete or selection is None:
            return False
        # The reader has to be as ready for the filter as the connection that searches.
        return Search(self._reader, selection).matches(response_id)

    def _refuse_telling(self, where: str, order: str) -> None:
        if self._again:
            raise InputError(
                "a second pass goes through the items that were drawn for it.", hint="Leave it to review others."
            )
        # What all items of this review have in common, as whoever began it said, tells nothing of one of them.
        mentioned = Vocabulary(self._reader).mentioned(And(tuple(set(_terms(where)).difference(self._common))))
        if (reason := why_not_filtered(self.hidden, mentioned)) is not None:
            raise InputError(reason)
        if self.blind and (told := why_not_begun((), order)) is not None:
            raise InputError(told[0], hint=told[1])


def _terms(where: str) -> tuple[Expr, ...]:
    """Return the parts of a filter all of which an item has to meet."""
    expr = parse(where)
    return expr.parts if isinstance(expr, And) else (expr,)
