"""The codebook of a running review: the newest revision, what of it the annotator used, and changes of it."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.audit.marks import MarkWriter
from auditor.audit.review_answers import TagChoice, tag_choices
from auditor.codebook import Codebook
from auditor.store.annotators import find_codebook_in_file
from auditor.store.codebook_revisions import changes_since, newest_revision
from auditor.store.history import Actor
from auditor.store.outdated import has_outdated_tags, needs_look, outdated_responses, outdated_work, tag_uses

if TYPE_CHECKING:
    from auditor.audit.codebook_revising import RevisionReport
    from auditor.audit.queue_ids import ReviewQueue
    from auditor.codebook_changes import Step

_BUSY_SECONDS = 2.0
"""How long a change waits for another process's write: a person waits with it."""


class CodebookSession:
    """What a session knows of its codebook; the session that builds on it sets the attributes."""

    path: Path
    annotator: str
    choices: tuple[TagChoice, ...]
    codebook_name: str
    codebook_revision: int
    codebook_title: str
    codebook_description: str
    queue: ReviewQueue
    _actor: Actor
    _reader: sqlite3.Connection
    _lock: threading.RLock
    _marks: MarkWriter
    _outdated_items: set[int]
    """Items of the annotator that need another look since the codebook changed, by response id, in the queue or not."""
    _outdated_version = 0
    """Grows whenever these may have changed."""
    _outdated_here = 0
    """How many of them are in the queue, which was counted when that and they were so."""
    _counted_at: tuple[ReviewQueue | None, int, int] = (None, 0, 0)
    _may_need_look: bool
    _why_again: dict[int, str]
    """The sentences about those of them that were read."""

    def _use_codebook(self, actor: Actor) -> None:
        book = actor.book.codebook
        self._actor = actor
        self.codebook_name = book.name
        self.codebook_revision = actor.book.revision
        self.codebook_title = book.title
        self.codebook_description = book.description
        self.choices = tag_choices(book)
        self._look_for_outdated()

    @property
    def codebook(self) -> Codebook:
        """Return the codebook that marks are made under."""
        return self._actor.book.codebook

    def follow_codebook(self) -> bool:
        """Take up the newest revision of the codebook; say whether it is another one than before."""
        with self._lock:
            stored = find_codebook_in_file(self._reader, self.codebook_name)
            assert stored is not None, "a review is under a codebook that the file holds"
            if stored.revision == self.codebook_revision:
                return False
            self._use_codebook(Actor(self._actor.annotator_id, stored))
            self._marks.follow(self._actor)
            return True

    def has_newer_codebook(self) -> bool:
        """Say whether the file holds a newer revision of the codebook than the one that marks are made under."""
        try:
            with self._lock:
                return newest_revision(self._reader, self._actor.book.id) > self.codebook_revision
        except sqlite3.OperationalError:  # another process holds the file; it is asked again
            return False

    def codebook_changes(self, revision: int) -> list[str]:
        """Return what changed in the codebook after a revision, in words."""
        with self._lock:
            return changes_since(self._reader, self._actor.book.id, revision)

    @property
    def to_look_at_again(self) -> int:
        """How many of the annotator's own items need another look since the codebook changed, of those in the queue."""
        if not self._outdated_items:
            return 0
        now = (self.queue, len(self.queue), self._outdated_version)
        if now != self._counted_at:
            self._counted_at = now
            self._outdated_here = sum(self.queue.index_of(one) is not None for one in self._outdated_items)
        return self._outdated_here

    def why_again(self, response_id: int) -> str:
        """Say why an item that was read needs another look; empty where it needs none."""
        return self._why_again.get(response_id, "") if response_id in self._outdated_items else ""

    def _look_for_outdated(self) -> None:
        who, book = self._actor.annotator_id, self._actor.book.id
        self._may_need_look = has_outdated_tags(self._reader, book)
        self._outdated_items = outdated_responses(self._reader, who, book) if self._may_need_look else set()
        self._outdated_version += 1
        self._why_again = {}

    def _judged(self, response_id: int) -> None:
        """Take notice that an item was marked, or that a mark was undone."""
        if not self._may_need_look:
            return
        if needs_look(self._reader, self._actor.annotator_id, self._actor.book.id, response_id):
            self._outdated_items.add(response_id)
        else:
            self._outdated_items.discard(response_id)
        self._outdated_version += 1

    def _read_why_again(self, response_id: int) -> None:
        """Keep the sentence about an item that is read to be shown."""
        if response_id not in self._outdated_items:
            return
        from auditor.audit.codebook_revising import outdated_words

        book = self._actor.book
        found = list(outdated_work(self._reader, book.id, self._actor.annotator_id, response_id))
        if found:
            since = "; ".join(outdated_words(book.codebook, one) for one in found)
            self._why_again[response_id] = f"You judged this at revision {found[0].judged}; since then: {since}."

    def own_uses(self) -> dict[str, int]:
        """Count the annotator's own items with each tag: nothing that anybody else did."""
        with self._lock:
            uses = tag_uses(self._reader, self._actor.book.id, self._actor.annotator_id)
            return {use.tag: use.items for use in uses}

    def revise_codebook(self, step: Step) -> RevisionReport:
        """Make a change to the codebook and take it up. Raises AuditorError where it is refused or cannot be kept."""
        from auditor.audit.codebook_revising import revise_codebook

        report = revise_codebook(self.path, step, codebook=self.codebook_name, busy_seconds=_BUSY_SECONDS)
        self.follow_codebook()
        return report
