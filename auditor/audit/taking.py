"""Taking one item from the command line, as a review with an overlap takes its next one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from auditor.audit.inspect import item_keys
from auditor.audit.leased_queue import describe_nothing
from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.queue_states import QueueStates
from auditor.audit.queue_words import describe_all_done
from auditor.audit.review_queue import QueueWish, draw_queue
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, transaction, translate
from auditor.store.history import Actor, uuid7
from auditor.store.leases import LEASE_SECONDS, Claim, expiry, leases_of_others, look_at, take_next
from auditor.store.queue import annotator_states

_TOGETHER = 500
"""Items that are looked at together."""


class TakenItem(NamedTuple):
    """What a call of `tags next` took."""

    item: str | None
    """Its key; None when nothing is free."""
    annotator: str
    until: str | None
    """When it is free again if nobody reviews it; UTC."""
    reason: str
    """Why nothing is free; empty when something is."""


def take_item(path: Path, annotator: str, wish: QueueWish, *, seconds: float = LEASE_SECONDS) -> TakenItem:
    """Take the first free item of a wish, which has an overlap, for an annotator, and hold it for so many seconds.

    Each call is a session of its own: an item that the annotator holds already is not given once more. Raises
    AuditorError when the file or the wish is unusable, or no item matches it.
    """
    overlap = wish.overlap
    assert overlap is not None
    try:
        with closing(open_file(path)) as connection:
            drawn = draw_queue(connection, path, annotator, wish)
            try:
                with transaction(connection):
                    who = ensure_annotator(connection, drawn.annotator)
                    book = ensure_codebook(connection, drawn.codebook)
                claim = Claim(who, book.id, uuid7(), overlap)
                for ids in _pieces(drawn.queue):
                    at = now()
                    free = look_at(connection, claim, ids, at).free
                    if free and (taken := take_next(connection, claim, free, seconds=seconds, at=at)):
                        (key,) = item_keys(path, taken)
                        return TakenItem(key, annotator, expiry(at, seconds), "")
                own = QueueStates(drawn.queue, annotator_states(connection, Actor(who, book)))
                if not own.count_open():
                    return TakenItem(None, annotator, None, describe_all_done(drawn.queue.progress))
                held = leases_of_others(connection, claim, now())
                return TakenItem(None, annotator, None, describe_nothing(held, own, overlap, annotator))
            finally:
                drawn.queue.cancel()
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _pieces(queue: ReviewQueue) -> Iterator[list[int]]:
    """Yield the items of a queue, which may still be on their way, in order; raises the error that ended the search."""
    at = 0
    while queue.wait_for_rows(at + 1) and (ids := queue.ids(at, _TOGETHER)):
        yield ids.tolist()
        at += len(ids)
    if queue.error is not None:
        raise queue.error
