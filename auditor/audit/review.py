"""One annotator's pass through a queue of items: what the review screen asks for and what it saves."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.audit.blindness import hidden_dimensions, veil_item, veil_row
from auditor.audit.leased_queue import LeasedQueue
from auditor.audit.marks import MarkWriter
from auditor.audit.queue_ids import QueueProgress, ReviewQueue, Waiting
from auditor.audit.related_items import RelatedItems, shown_arms
from auditor.audit.review_answers import (
    Pending,
    QueueRow,
    Refused,
    Saved,
    TagChoice,
    as_counted,
    describe_act,
    describe_change,
    describe_progress,
)
from auditor.audit.review_codebook import CodebookSession
from auditor.audit.review_queue import FAILURES, QueueWish, draw_queue
from auditor.audit.session_places import SessionPlaces
from auditor.codebook import Codebook
from auditor.errors import AuditorError, InputError
from auditor.model import AnnotatorKind, Grade, Response, ResponseKey, ReviewState, Status, Task
from auditor.store.annotators import (
    annotator_kind,
    ensure_annotator,
    find_annotator,
    find_codebook_in_file,
)
from auditor.store.changes import DIFFERENCE, LINE
from auditor.store.codebook_revisions import ensure_codebook, is_known
from auditor.store.drafts import DraftFiles, DraftKey
from auditor.store.file import limit_cache, open_file, transaction, translate
from auditor.store.filter import Vocabulary
from auditor.store.history import Actor, Recorded
from auditor.store.invalidations import Invalid
from auditor.store.queue import (
    ReviewItem,
    arm_names,
    cases_beside,
    load_item,
    load_rows,
    response_rows,
    setting_names,
)
from auditor.store.related import arms_of_case
from auditor.store.reviews import (
    Bookmark,
    Decide,
    Defer,
    Intent,
    MarkAll,
    MarkFirst,
    MarkReviewed,
    Memo,
    NothingToTag,
    PinMemo,
    Redo,
    Reveal,
    ReviewView,
    SetNote,
    ToggleTag,
    Undo,
    WriteProbe,
)
from auditor.store.tasks import oracle_text

if TYPE_CHECKING:
    from auditor.audit.adjudication import Adjudication, AdjudicationWish, Overview
    from auditor.audit.queue_table import QueueTable

__all__ = [
    "DIFFERENCE",
    "LINE",
    "Bookmark",
    "Decide",
    "Defer",
    "DraftKey",
    "Grade",
    "Intent",
    "Invalid",
    "MarkAll",
    "MarkFirst",
    "MarkReviewed",
    "Memo",
    "NothingToTag",
    "Pending",
    "PinMemo",
    "QueueProgress",
    "QueueRow",
    "QueueWish",
    "Redo",
    "Refused",
    "Response",
    "ResponseKey",
    "Reveal",
    "ReviewItem",
    "ReviewQueue",
    "ReviewSession",
    "ReviewState",
    "ReviewView",
    "Saved",
    "SetNote",
    "Status",
    "TagChoice",
    "Task",
    "ToggleTag",
    "Undo",
    "WriteProbe",
    "describe_progress",
    "open_session",
    "oracle_text",
]


_SMALL_FILE = 5_000
"""Rows of responses."""
_SMALL_FILE_SECONDS = 1.0
"""At most: few rows can hold long texts."""


class ReviewSession(CodebookSession, SessionPlaces, LeasedQueue):
    """A queue of items and one annotator's work on them. Every method may be called from any thread."""

    def __init__(
        self,
        path: Path,
        annotator: str,
        actor: Actor,
        writer: sqlite3.Connection,
        queue: ReviewQueue,
        *,
        blind: bool = False,
        again: bool = False,
        outdated: Sequence[int] = (),
    ) -> None:
        """`outdated` are items that count as open, although they are reviewed, until they are marked again."""
        super().__init__(path, annotator, actor, queue, again=again, outdated=outdated)
        self._use_codebook(actor)
        limit_cache(self._reader)
        limit_cache(writer)
        self.blind = blind
        self.hidden = hidden_dimensions(Vocabulary(self._reader).known() if blind else (), blind=blind, again=again)
        self._marks = MarkWriter(path, annotator, actor, writer, self._reader, blind=blind)
        self._draft_files = DraftFiles(self._marks.place)
        self._drafts = self._draft_files.take_up()
        try:
            for done in self._marks.take_up():
                self._remember(done)
        except BaseException:
            self._marks.abandon()
            self._reader.close()
            raise

    @property
    def pending(self) -> int:
        """How many actions are not in the audit file yet."""
        return self._marks.pending

    @property
    def in_memory_only(self) -> int:
        """How many actions are neither in the audit file nor in a side file: they are lost when the program ends."""
        return self._marks.in_memory_only

    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the arms and the settings that the file knows; none of them in a blind review."""
        if self.blind:
            return (), ()
        with self._lock:
            return arm_names(self._reader), setting_names(self._reader)

    def cases_beside(self, name: str) -> tuple[str, ...]:
        """Return the cases before and behind one, in the order of their characters."""
        with self._lock:
            return cases_beside(self._reader, name)

    def rows(self, start: int, count: int) -> list[QueueRow]:
        """Read a window of the queue."""
        ids = self.queue.ids(start, count)
        with self._lock:
            found = load_rows(self._reader, self._actor, list(ids))
            rows = []
            for index, response_id in enumerate(ids, start):
                row = found[response_id]
                view = self._marks.view(response_id) or row.review
                key = row.key
                names = (key.case, key.arm, key.setting, key.sample)
                tags = as_counted(view, self._actor.rules).tags
                own = (view.state, tags, view.bookmarked)
                full = QueueRow(index, response_id, *names, row.status, row.mode, row.lines, *own)
                rows.append(veil_row(full) if self.blind else full)
            return rows

    def table(self) -> QueueTable:
        """Open the queue as a table; the caller closes it."""
        from auditor.audit.queue_table import QueueTable

        return QueueTable(self.path, self._actor, hidden=self.hidden, unsaved=self._marks.view)

    def related(self) -> RelatedItems:
        """Open what belongs to items: arms of their cases, answers to their tasks; the caller closes it."""
        blind_for = self._actor.annotator_id if self.blind else None
        return RelatedItems(self.path, blind_for=blind_for, unsaved=self._marks.view)

    def adjudication(self, wish: AdjudicationWish, found: Overview | None = None) -> Adjudication:
        """Open what is to be adjudicated under the codebook, unless it is `found`; the caller closes it.

        Raises InputError when that is nothing, and in a blind review or a second pass, which show nobody's work.
        """
        if self.blind or self._again:
            raise InputError("this review shows nobody's work, so nothing is adjudicated in it.")
        from auditor.audit.adjudication import Adjudication

        own = (self._marks.view, self.notes_waiting)
        return Adjudication(self.path, self.annotator, lambda: self._actor, wish, *own, found=found)

    def tag_number(self, tag: str) -> int:
        """Return the number of a tag in the file, which it keeps whatever it is called."""
        return self._actor.book.tag_ids[tag]

    def item(self, index: int) -> ReviewItem:
        """Read the item at a place of the queue."""
        return self._item(self.queue[index], index)

    def item_by_id(self, response_id: int) -> ReviewItem:
        """Read an item that may be outside the queue; its index is -1 then."""
        index = self.index_of(response_id)
        return self._item(response_id, -1 if index is None else index)

    def _item(self, response_id: int, index: int) -> ReviewItem:
        with self._lock:
            item = load_item(self._reader, self._actor, response_id, index, self._marks.view(response_id))
            self._read_why_again(response_id)
            item = self._with_standing(replace(item, review=as_counted(item.review, self._actor.rules)))
            if self.blind and not item.review.revealed:
                return veil_item(item, self.hidden)
            arms = arms_of_case(self._reader, response_id)
            blind_for = self._actor.annotator_id if self.blind else None
            return replace(item, arms=shown_arms(self._reader, arms, blind_for, self._marks.view))

    def submit(
        self, response_id: int, intent: Intent, evidence: bytes | None = None, seconds: float | None = None
    ) -> Saved | Pending | Refused:
        """Do an action and keep it durably before returning; a locked or full file sends it to a side file.

        `evidence` is the hash of what was shown; None takes that of the item as it is now. `seconds` is how long the
        annotator was at the item, where a timer runs.
        """
        with self._lock:
            try:
                done, unsaved = self._marks.write(response_id, intent, evidence, seconds)
            except AuditorError as error:
                return Refused(response_id, str(error))
            if done is None:
                return self._nothing(response_id, intent)
            self._remember(done)
            if unsaved is not None:
                return Pending(done.response_id, as_counted(done.view, self._actor.rules), unsaved)
            view = as_counted(done.view, self._actor.rules)
            return Saved(done.response_id, view, self._describe(done), items=1 + len(done.others))

    def retry_pending(self) -> int:
        """Try to write what is unsaved; return how many actions are still unsaved."""
        with self._lock:
            waited = self.pending
            left = self._marks.retry()
            if waited and not left:
                self._look_for_outdated()
            return left

    def close(self) -> None:
        """Write what is unsaved if that is possible now, and close the file.

        Raises UnsavedWorkError when work is left unsaved: kept in a side file for the next session, or lost.
        """
        self.stop_searching()
        with self._lock:
            try:
                self._marks.close()
            finally:
                # An item whose mark waits beside the file is not given to others before that is in, or the lease ends.
                self._close_leases(give_back=not self.pending)
                self._reader.close()

    # --- inside ----------------------------------------------------------------------------------------------------

    def _remember(self, done: Recorded | None) -> None:
        for response_id, view in ((done.response_id, done.view), *done.others) if done is not None else ():
            self._own.remember(response_id, view.state)
            self._judged(response_id)

    def _nothing(self, response_id: int, intent: Intent) -> Saved | Refused:
        if isinstance(intent, Undo):
            return Refused(None, "There is nothing to undo.")
        if isinstance(intent, Redo):
            return Refused(None, "There is nothing to redo.")
        return Saved(response_id, self.item_by_id(response_id).review, "It was so already.", recorded=False)

    def _describe(self, done: Recorded) -> str:
        names = {id_: tag.name for tag in self.codebook.tags for id_ in (tag.id, *tag.formerly)}
        words = describe_change(done.of, done.change if done.action != "undo" else done.change.inverse(), names)
        if done.others:
            words = describe_act(done.of, words, 1 + len(done.others))
        if done.action not in ("undo", "redo"):
            return words
        return f"{'undone' if done.action == 'undo' else 'done again'}: {words}"


def _known_actor(connection: sqlite3.Connection, annotator: str, book: Codebook) -> Actor | None:
    """Return annotator and codebook when the file knows both, so that a review can begin while another one writes."""
    annotator_id = find_annotator(connection, annotator)
    stored = find_codebook_in_file(connection, book.name)
    if annotator_id is None or stored is None or not is_known(connection, stored, book):
        return None
    if annotator_kind(connection, annotator) is not AnnotatorKind.PERSON:
        return None
    return Actor(annotator_id, stored)


def open_session(
    path: Path, annotator: str, wish: QueueWish = FAILURES, *, waiting: Waiting | None = None
) -> ReviewSession:
    """Open an audit file for one annotator's review of the items that a wish names.

    What is marked in a second pass is kept as that of an annotator of its own.
    The first item is known when it returns; others may still be on their way, and `waiting` is told how far the search
    is as long as the first one is waited for.
    Raises AuditorError when the file, filter, order or codebook is unusable, or nothing is left to review.
    """
    writer = open_file(path)
    queue: ReviewQueue | None = None
    session: ReviewSession | None = None
    try:
        drawn = draw_queue(writer, path, annotator, wish, waiting)
        queue, book, name = drawn.queue, drawn.codebook, drawn.annotator
        actor = _known_actor(writer, name, book)
        if actor is None:
            with transaction(writer):
                annotator_id = ensure_annotator(writer, name, AnnotatorKind.PERSON)
                actor = Actor(annotator_id, ensure_codebook(writer, book))
        second, outdated = wish.again is not None, drawn.outdated
        session = ReviewSession(path, name, actor, writer, queue, blind=wish.blind, again=second, outdated=outdated)
        if wish.overlap is not None:
            session.share(wish.overlap)
        # Before a screen is there, since it may have to wait. A small file is looked through to its end by then.
        session.start_index(waiting)
        if response_rows(writer) <= _SMALL_FILE:
            queue.wait_until(lambda: False, _SMALL_FILE_SECONDS)
        return session
    except BaseException as error:
        if queue is not None:
            queue.cancel()
        if session is not None:
            with suppress(AuditorError):
                session.close()
        writer.close()
        if isinstance(error, sqlite3.Error):
            raise translate(error, path) from error
        raise
