"""Deciding what annotators differ on: on a screen, or one item from the command line.

Of two decisions on one tag of an item the one whose event is later holds, by time and then by UUID: also where they
come from two files that were merged. The other stays in the history, and holds again when the later one is undone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from auditor.audit.adjudication import (
    ORDERS,
    Adjudication,
    AdjudicationWish,
    Overview,
    overview,
    something_to_adjudicate,
    why_nothing,
)
from auditor.audit.codebooks import codebook_in_use
from auditor.audit.item_names import find_item
from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.review import ReviewSession
from auditor.audit.rulings import Case, decide_tags, make_case, take_set, withdraw
from auditor.errors import AuditorError, InputError
from auditor.formats.json_text import UnusableError
from auditor.formats.row_file import parse_item
from auditor.model import AnnotatorKind, person_of_pass
from auditor.store.adjudicable import item_facts
from auditor.store.annotators import (
    StoredCodebook,
    annotator_kind,
    ensure_annotator,
    find_codebook_in_file,
    require_annotators,
)
from auditor.store.changes import VERDICTS
from auditor.store.decisions import load_standings
from auditor.store.file import now, open_file, open_for_reading, transaction, translate
from auditor.store.history import Actor, act, uuid7
from auditor.text import visible_line

__all__ = [
    "ORDERS",
    "Adjudication",
    "AdjudicationWish",
    "Overview",
    "check_adjudication",
    "decide_item",
    "open_adjudication",
    "read_overview",
    "why_nothing",
]


def _stored_book(connection: sqlite3.Connection, name: str | None) -> StoredCodebook:
    book = codebook_in_use(connection, name)
    stored = find_codebook_in_file(connection, book.name)
    assert stored is not None, "a codebook in use is in the file"
    return stored


def read_overview(path: Path, wish: AdjudicationWish) -> tuple[Overview, list[tuple[str, Case]]]:
    """Return how items stand, and those to go through with their keys, in order."""
    try:
        with closing(open_for_reading(path)) as connection:
            book = _stored_book(connection, wish.codebook)
            found = overview(connection, book, wish)
            facts = item_facts(connection, found.ids)
            standings = load_standings(connection, book.id, found.ids, wish.among)
            return found, [(str(facts[row].key), make_case(book.codebook, row, standings[row])) for row in found.ids]
    except sqlite3.Error as error:
        raise translate(error, path) from error


def check_adjudication(path: Path, annotator: str, wish: AdjudicationWish) -> None:
    """Raise what `open_adjudication` would raise, without a change of the file."""
    try:
        with closing(open_for_reading(path)) as connection:
            _check_adjudicator(connection, annotator)
            something_to_adjudicate(connection, _stored_book(connection, wish.codebook), wish)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _check_adjudicator(connection: sqlite3.Connection, annotator: str) -> None:
    if not annotator.strip():
        raise InputError("an adjudicator needs a name.")
    if (first := person_of_pass(annotator)) is not None:
        raise InputError(
            f"{visible_line(annotator, 60)!r} is the name of a later pass of {visible_line(first, 60)!r}.",
            hint="Give the person's own name.",
        )
    kind = annotator_kind(connection, annotator)
    if kind not in (None, AnnotatorKind.PERSON):
        raise InputError(
            f"the annotator {visible_line(annotator)!r} is of kind {kind} in this file, and only people adjudicate."
        )


def open_adjudication(path: Path, annotator: str, wish: AdjudicationWish) -> tuple[ReviewSession, Adjudication]:
    """Open an audit file for its adjudicator: the session that keeps decisions, and the items to go through.

    The caller closes both. Raises AuditorError when the file, filter, order or codebook is unusable, or when there is
    nothing to adjudicate, which changes nothing.
    """
    writer = open_file(path)
    session: ReviewSession | None = None
    try:
        _check_adjudicator(writer, annotator)
        book = _stored_book(writer, wish.codebook)
        found = something_to_adjudicate(writer, book, wish)
        with transaction(writer):
            actor = Actor(ensure_annotator(writer, annotator, AnnotatorKind.PERSON), book)
        session = ReviewSession(path, annotator, actor, writer, ReviewQueue(()))
        adjudication = session.adjudication(wish, found)
        session.use_queue(adjudication.queue)
        return session, adjudication
    except BaseException as error:
        if session is not None:
            with suppress(AuditorError):
                session.close()
        writer.close()
        if isinstance(error, sqlite3.Error):
            raise translate(error, path) from error
        raise


# --- one item ------------------------------------------------------------------------------------------------------

OPEN_AGAIN = "open"
"""Said of a tag of which nothing is to be decided any more."""


def decide_item(
    path: Path,
    annotator: str,
    item: str,
    verdicts: Sequence[tuple[str, str]] = (),
    *,
    take: str | None = None,
    note: str | None = None,
    codebook: str | None = None,
    among: tuple[str, ...] | None = None,
) -> tuple[Case, bool]:
    """Decide tags (ids or names) of an item; return how it stands then, and whether that changed anything.

    Each tag becomes one of VERDICTS, or `open`: nothing is decided of it any more. `take` names an annotator whose
    marks become the decision on all that the annotators differ on. Raises InputError for what the file does not know,
    for tags that exclude each other, and for a decision that overrides everyone without a note.
    """
    if (take is None) == (not verdicts):
        raise InputError("nothing says what is decided.", hint="Give --tag T=yes, or --take NAME; not both.")
    try:
        with closing(open_file(path)) as connection, transaction(connection):
            _check_adjudicator(connection, annotator)
            require_annotators(connection, among or ())
            try:
                response_id, _ = find_item(connection, parse_item(item))
            except UnusableError as error:
                raise InputError(str(error)) from error
            stored = _stored_book(connection, codebook)
            book = stored.codebook

            def read() -> Case:
                return make_case(
                    book, response_id, load_standings(connection, stored.id, (response_id,), among)[response_id]
                )

            case = read()
            if take is not None:
                intents = [take_set(book, case, _voice_of(case, take), note)]
            else:
                named = [(book.counts_as[book.find_tag(tag).id], verdict) for tag, verdict in verdicts]
                for tag, verdict in named:
                    if verdict not in (*VERDICTS, OPEN_AGAIN):
                        raise InputError(f"{visible_line(tag)} cannot be {visible_line(verdict, 40)!r}.")
                reopened = [tag for tag, verdict in named if verdict == OPEN_AGAIN]
                ruled = [(tag, verdict) for tag, verdict in named if verdict != OPEN_AGAIN]
                intents = [withdraw(case, reopened)] if reopened else []
                intents += [decide_tags(book, case, ruled, note)] if ruled else []
            actor = Actor(ensure_annotator(connection, annotator, AnnotatorKind.PERSON), stored)
            done = [
                act(connection, actor, response_id, intent, uuid=uuid7(), at=now(), origin="command")
                for intent in intents
            ]
            return read(), any(one is not None for one in done)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _voice_of(case: Case, annotator: str) -> int:
    names = [voice.annotator for voice in case.voices]
    if annotator not in names:
        there = ", ".join(visible_line(name, 40) for name in names) or "nobody"
        raise InputError(
            f"{visible_line(annotator, 60)!r} is none of those who reviewed this item.",
            hint=f"It was reviewed by {there}.",
        )
    return names.index(annotator)
