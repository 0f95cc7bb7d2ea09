"""The codebook of a running review: the newest revision, what of it the annotator used, and changes of it."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from auditor.audit.codebook_revising import RevisionReport, revise_codebook
from auditor.audit.marks import MarkWriter
from auditor.audit.review_answers import TagChoice, tag_choices
from auditor.codebook import Codebook
from auditor.codebook_changes import Step
from auditor.store.annotators import find_codebook_in_file
from auditor.store.history import Actor
from auditor.store.outdated import tag_uses

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
    _actor: Actor
    _reader: sqlite3.Connection
    _lock: threading.RLock
    _marks: MarkWriter

    def _use_codebook(self, actor: Actor) -> None:
        book = actor.book.codebook
        self._actor = actor
        self.codebook_name = book.name
        self.codebook_revision = actor.book.revision
        self.codebook_title = book.title
        self.codebook_description = book.description
        self.choices = tag_choices(book)

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

    def own_uses(self) -> dict[str, int]:
        """Count the annotator's own items with each tag: nothing that anybody else did."""
        with self._lock:
            uses = tag_uses(self._reader, self._actor.book.id, self._actor.annotator_id)
            return {use.tag: use.items for use in uses}

    def revise_codebook(self, step: Step) -> RevisionReport:
        """Make a change to the codebook and take it up. Raises AuditorError where it is refused or cannot be kept."""
        report = revise_codebook(self.path, step, codebook=self.codebook_name, busy_seconds=_BUSY_SECONDS)
        self.follow_codebook()
        return report
