"""Who has reviewed what: how far each annotator is, and how many people have looked at each item."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from auditor.audit.inspect import AnnotatorInfo, annotator_infos
from auditor.model import AnnotatorKind, ReviewState
from auditor.store.annotators import codebook_names, find_annotator, find_codebook_in_file
from auditor.store.assignments import (
    StoredAssignment,
    assigned_items,
    clusters_by_annotator,
    count_states,
    find_assignment,
    items_of_assignment,
    reviews_an_item,
)
from auditor.store.file import now, open_for_reading, translate
from auditor.store.leases import holdings
from auditor.store.outdated import count_outdated
from auditor.store.subject_rows import any_subject, count_subjects


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How far one annotator is under one codebook."""

    annotator: str
    kind: str
    codebook: str
    assigned: int | None
    """Items; None = there is no assignment under this codebook."""
    left: int | None
    """Of the assigned items those that are neither reviewed nor deferred."""
    reviewed: int
    begun: int
    deferred: int
    tags: int
    last_at: str | None
    again: int = 0
    """Items that need another look since the codebook changed."""


@dataclass(frozen=True, slots=True)
class ItemReviews:
    """How many items have so many reviews by different people."""

    codebook: str
    reviews: int
    items: int


@dataclass(frozen=True, slots=True)
class HeldItems:
    """What one annotator holds now under one codebook, in reviews with an overlap."""

    annotator: str
    codebook: str
    items: int
    until: str
    """When the last of it is free again, unless it is renewed; UTC."""


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """Everybody's progress in one audit file."""

    where: str
    """Which items were looked at for the number of their reviews."""
    annotators: list[AnnotatorProgress]
    items: list[ItemReviews]
    held: list[HeldItems]
    left_out: int = 0
    """Items that people judge themselves, where the filter leaves none of them."""


def review_progress(path: Path, where: str = "status:wrong") -> ReviewProgress:
    """Say who has reviewed what; raises AuditorError when the file or the filter is unusable.

    The filter chooses the items whose reviews are counted; an assignment has its own.
    """
    try:
        with closing(open_for_reading(path)) as connection:
            annotators = annotator_progress(connection)
            books = dict.fromkeys(one.codebook for one in annotators)
            return ReviewProgress(
                where,
                annotators,
                [
                    ItemReviews(book, reviews, items)
                    for book in books
                    for reviews, items in reviews_an_item(connection, where, book, _book_id(connection, book)).items()
                ],
                [HeldItems(*holding) for holding in holdings(connection, now())],
                0 if any_subject(connection, where) else count_subjects(connection),
            )
    except sqlite3.Error as error:
        raise translate(error, path) from error


def annotator_progress(connection: sqlite3.Connection) -> list[AnnotatorProgress]:
    """Say how far everybody is who reviewed something or has an assignment, under each codebook."""
    infos = annotator_infos(connection)
    assigned = _assigned(connection)
    people = dict.fromkeys([*((info.name, info.codebook) for info in infos), *assigned])
    by_key = {(info.name, info.codebook): info for info in infos}
    return [
        _of(connection, *key, by_key.get(key), assigned.get(key), sum(who == key[0] for who, _ in assigned) > 1)
        for key in people
    ]


def _book_id(connection: sqlite3.Connection, codebook: str) -> int:
    book = find_codebook_in_file(connection, codebook)
    assert book is not None
    return book.id


def _assigned(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[StoredAssignment, int]]:
    """Return for each annotator and codebook the assignment and the number of its items that are theirs."""
    found: dict[tuple[str, str], tuple[StoredAssignment, int]] = {}
    for book in codebook_names(connection):
        there = find_assignment(connection, _book_id(connection, book))
        if there is None:
            continue
        items = items_of_assignment(connection, there)
        for name, clusters in clusters_by_annotator(connection, there.id).items():
            found[name, book] = there, sum(items.get(cluster, 0) for cluster in clusters)
    return found


def _of(
    connection: sqlite3.Connection,
    annotator: str,
    codebook: str,
    info: AnnotatorInfo | None,
    assigned: tuple[StoredAssignment, int] | None,
    several: bool,
) -> AnnotatorProgress:
    """Count what one did under one codebook; `several` says whether they have assignments under several."""
    left, who, book = None, find_annotator(connection, annotator), _book_id(connection, codebook)
    assert who is not None, "whoever is listed reviewed something or has an assignment"
    if assigned is not None:
        there, items = assigned
        mine = assigned_items(there.where, annotator, codebook if several else None)
        tally = count_states(connection, mine, who, book)
        left = items - tally.reviewed - tally.deferred
    states = info.states if info else {}
    return AnnotatorProgress(
        annotator,
        info.kind if info else AnnotatorKind.PERSON.value,
        codebook,
        None if assigned is None else assigned[1],
        left,
        states.get(ReviewState.REVIEWED, 0),
        states.get(ReviewState.IN_PROGRESS, 0),
        states.get(ReviewState.DEFERRED, 0),
        info.tags if info else 0,
        info.last_at if info else None,
        0 if book is None else count_outdated(connection, who, book),
    )
