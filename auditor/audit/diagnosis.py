"""The diagnosis: for each item, annotator and tag whether the tag was used, and if that cannot be said, why."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from auditor.audit.codebooks import codebook_in_use
from auditor.codebook import Codebook, parse_codebook
from auditor.errors import InputError
from auditor.model import ReviewState, Scalar, join_key
from auditor.store.annotators import StoredCodebook, find_codebook_in_file
from auditor.store.codebook_revisions import revisions
from auditor.store.diagnosis import Annotator, Item, Review, codebook_annotators, diagnosed_items

COLUMNS = (
    *("item", "study", "case", "arm", "setting", "sample", "annotator", "kind", "codebook", "tag"),
    *("used", "why", "state", "at", "revision"),
)
PRESENT, ABSENT = "present", "absent"
NOT_REVIEWED, DEFERRED, IN_PROGRESS = "not reviewed", "deferred", "in progress"
PUT_SO_FAR = {DEFERRED: "deferred, put so far", IN_PROGRESS: "in progress, put so far"}
REPLACED = "reviewed before the content was replaced"
ADDED_LATER, RETIRED = "tag added after that review", "tag retired before that review"
WHYS = (PRESENT, ABSENT, NOT_REVIEWED, DEFERRED, IN_PROGRESS, *PUT_SO_FAR.values(), REPLACED, ADDED_LATER, RETIRED)
"""Every word that `why` can be."""
_UNFINISHED = {ReviewState.DEFERRED: DEFERRED, ReviewState.IN_PROGRESS: IN_PROGRESS}


class Life(NamedTuple):
    """The revisions of a codebook between which a tag could be put."""

    added: int
    retired: int | None
    """None = it still can be put."""


class Diagnosis:
    """What is diagnosed of a file: under which codebook, whose work, which tags."""

    def __init__(
        self, connection: sqlite3.Connection, codebook: str | None, annotators: Sequence[str], where: str
    ) -> None:
        """Raise InputError when nobody did anything under the codebook, or it is not told which one is meant."""
        self._connection = connection
        self._where = where
        book = codebook_in_use(connection, codebook)
        stored = find_codebook_in_file(connection, book.name)
        self.annotators = [] if stored is None else codebook_annotators(connection, stored.id, annotators)
        if stored is None or not self.annotators:
            raise InputError("nobody has reviewed anything that could be diagnosed, so there is nothing to write.")
        self._stored = stored
        self._lives = lives(connection, stored)
        self.tags = self._tags()

    def _tags(self) -> list[tuple[str, int]]:
        """Return ids and row ids of the tags: those in use, then retired ones that anybody has put."""
        sql = "SELECT DISTINCT tag_id FROM counted_tags WHERE codebook_id = ?"
        put = {row for (row,) in self._connection.execute(sql, (self._stored.id,))}
        active = {tag.id for tag in self._stored.codebook.active}
        rows = {tag.id: self._stored.tag_ids[tag.id] for tag in self._stored.codebook.tags}
        return [(tag, row) for tag, row in rows.items() if tag in active or row in put]

    def items(self) -> Iterator[Item]:
        """Read the items with which any of the annotators did anything."""
        return diagnosed_items(self._connection, self._stored.id, self.annotators, self._where)

    def records(self) -> Iterator[Mapping[str, Scalar]]:
        """Read one record an item, annotator and tag."""
        for item in self.items():
            key = join_key((*item.names, item.sample))
            named: dict[str, Scalar] = dict(zip(COLUMNS[1:6], (*item.names, item.sample), strict=True))
            for annotator in self.annotators:
                for tag, row in self.tags:
                    yield {"item": key, **named, **self._record(item, annotator, tag, row)}

    def _record(self, item: Item, annotator: Annotator, tag: str, row: int) -> dict[str, Scalar]:
        review = item.reviews.get(annotator.id)
        why = self._why(review, annotator.id in item.replaced, row, self._lives[tag])
        return {
            "annotator": annotator.name,
            "kind": annotator.kind.value,
            "codebook": self._stored.codebook.name,
            "tag": tag,
            "used": True if why == PRESENT else False if why == ABSENT else None,
            "why": why,
            "state": review.state.value if review else ReviewState.NOT_REVIEWED.value,
            "at": review.at if review else None,
            "revision": review.revision if review else None,
        }

    @staticmethod
    def _why(review: Review | None, replaced: bool, row: int, life: Life) -> str:
        """Say of a tag whether it is present, or absent, or why neither can be said."""
        if review is None or review.state is ReviewState.NOT_REVIEWED:
            return REPLACED if replaced else NOT_REVIEWED
        put = row in review.tags
        if (unfinished := _UNFINISHED.get(review.state)) is not None:
            return PUT_SO_FAR[unfinished] if put else unfinished
        if put:
            return PRESENT
        if review.revision < life.added:
            return ADDED_LATER
        return RETIRED if life.retired is not None and review.revision >= life.retired else ABSENT


def lives(connection: sqlite3.Connection, stored: StoredCodebook) -> dict[str, Life]:
    """Return by tag since which revision it could be put, and since which it cannot any more."""
    past = [(one.revision, parse_codebook(one.text, stored.codebook.name)) for one in revisions(connection, stored.id)]
    return {tag.id: _life(past, {tag.id, *tag.formerly}) for tag in stored.codebook.tags}


def _life(past: Sequence[tuple[int, Codebook]], ids: set[str]) -> Life:
    """Follow a tag, by all ids that it has had, through the revisions of its codebook."""
    active = [(revision, any(tag.id in ids for tag in book.active)) for revision, book in past]
    added = next((revision for revision, is_active in active if is_active), past[-1][0])
    retired = None
    for revision, is_active in reversed(active):
        if is_active:
            break
        retired = revision
    return Life(added, retired)
