"""Bookmarks and memos in and out of an audit file: list them, put one on an item, bring a file of them in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from auditor.audit.answer_diff import diff_answers
from auditor.audit.item_names import Books, find_item
from auditor.audit.row_report import RowReport
from auditor.compare.differences import Difference, list_differences
from auditor.errors import InputError
from auditor.formats.json_text import UnusableError
from auditor.formats.place_rows import PLACE_ROWS, Place, PlaceRow
from auditor.formats.records import Refusal
from auditor.formats.row_file import RowFile, parse_item
from auditor.model import AnnotatorKind
from auditor.store.annotators import annotator_kind, ensure_annotator, require_annotators
from auditor.store.changes import LINE
from auditor.store.file import now, open_file, transaction, translate
from auditor.store.history import Actor, Recorded, act, uuid7
from auditor.store.places import PlaceRecord, iterate_places
from auditor.store.queue import ReviewItem, load_item
from auditor.store.reviews import Bookmark, PinMemo, ReviewView
from auditor.text import UNDECODABLE, UndecodedText, counted, visible_line

__all__ = ["PlaceImportReport", "PlaceRecord", "import_places", "list_places", "put_place", "quote_at"]

QUOTE_CHARACTERS = 200
"""So much of what stands at a place is kept with its memo."""
_ROWS_A_TRANSACTION = 500


def quote_at(item: ReviewItem, place: str, number: int) -> str:
    """Return the beginning of what stands at a line or a difference of an item; raises InputError when there is none.

    Of a difference it is what the oracle has there and what the prediction has: `total: 63250 → 63240`, in a text
    with a little of its line.
    """
    if place == LINE:
        lines = item.task.source.removesuffix("\n").split("\n")
        if not 1 <= number <= len(lines):
            raise InputError(f"there is no line {number:,}: the source has {counted(len(lines), 'line')}.")
        return _as_read(lines[number - 1][:QUOTE_CHARACTERS], item.task.source)
    oracle, prediction = item.oracle_text, item.grade.prediction if item.grade else None
    if oracle is None or prediction is None:
        raise InputError("there is no difference: oracle and prediction are not both known.")
    answers = diff_answers(item.policy, oracle, prediction)
    found = list_differences(item.task.target, oracle, answers.prediction, answers.diff)
    if not 1 <= number <= len(found):
        raise InputError(
            f"there is no difference {number:,}: oracle and prediction have {counted(len(found), 'difference')}."
        )
    return _as_read(_words(found[number - 1]), oracle, prediction)


def _as_read(text: str, *sources: str) -> str:
    """Return a part of texts as bytes that are not UTF-8 where it holds some, as the texts do."""
    raw = UNDECODABLE.search(text) and any(isinstance(source, UndecodedText) for source in sources)
    return UndecodedText(text) if raw else text


def _words(difference: Difference) -> str:
    half = QUOTE_CHARACTERS // 2 - 2
    name = f"{difference.field}: " if difference.field else ""
    return f"{name}{difference.oracle_around[:half]} → {difference.prediction_around[:half]}"


def list_places(connection: sqlite3.Connection, where: str = "", annotator: str | None = None) -> Iterator[PlaceRecord]:
    """Read bookmarks and memos. Raises InputError for an unknown annotator and for a bad filter."""
    if annotator is not None:
        require_annotators(connection, [annotator])
    return iterate_places(connection, where, () if annotator is None else (annotator,))


def put_place(
    path: Path,
    annotator: str,
    item: str,
    *,
    memo: tuple[str, int, str] | None = None,
    bookmark: bool | None = None,
    codebook: str | None = None,
) -> Recorded | None:
    """Write a memo (place, number, text; empty takes it away) or put a bookmark on or off; None when it was so already.

    Raises InputError for an unknown item or codebook, and for a line or a difference that there is not.
    """
    try:
        with closing(open_file(path)) as connection, transaction(connection):
            try:
                response_id, key = find_item(connection, parse_item(item))
                book = Books(connection, codebook).of(key, None)
            except UnusableError as error:
                raise InputError(str(error)) from error
            kind = annotator_kind(connection, annotator) or AnnotatorKind.PERSON
            actor = Actor(ensure_annotator(connection, annotator, kind), book)
            intent: Bookmark | PinMemo = Bookmark(bookmark)
            if memo is not None:
                place, number, text = memo
                shown = load_item(connection, actor, response_id, -1, None)
                there = shown.review.memo_at(place, number)
                intent = PinMemo(place, number, there.quote if there else quote_at(shown, place, number), text)
            return act(connection, actor, response_id, intent, uuid=uuid7(), at=now(), origin="command")
    except sqlite3.Error as error:
        raise translate(error, path) from error


# --- a file of them ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class PlaceImportReport(RowReport):
    """What became of the rows of a file of bookmarks and memos."""

    changed: int = 0
    replaced: int = 0
    """Memos that had another text before."""


def import_places(
    path: Path, file: Path, annotator: str | None = None, codebook: str | None = None
) -> PlaceImportReport:
    """Bring a file of bookmarks and memos into an audit file; the same file again changes nothing.

    A memo at a place that has another one of the annotator's stands instead of it, and the history keeps both. Raises
    InputError when the file as a whole is unusable, before anything is changed.
    """
    report = PlaceImportReport()
    source = RowFile(file, PLACE_ROWS)
    rows = list(source.rows())
    report.rows = len(rows)
    if not rows:
        report.notes.append(f"{visible_line(file.name)} holds no rows.")
    if source.ignored:
        names = ", ".join(visible_line(name, 40) for name in sorted(source.ignored)[:20])
        report.notes.append(f"columns that mean nothing here were left out: {names}.")
    try:
        with closing(open_file(path)) as connection:
            books, at = Books(connection, codebook), now()
            for start in range(0, len(rows), _ROWS_A_TRANSACTION):
                with transaction(connection):
                    for row in rows[start : start + _ROWS_A_TRANSACTION]:
                        try:
                            if isinstance(row, Refusal):
                                report.refusals.append(row)
                            else:
                                _bring_in(connection, books, row, annotator, at, report)
                        except (UnusableError, InputError) as error:
                            assert isinstance(row, PlaceRow)
                            report.refusals.append(Refusal(row.where, str(error)))
    except sqlite3.Error as error:
        raise translate(error, path) from error
    if report.replaced:
        report.notes.append(f"{counted(report.replaced, 'memo')} had another text before; the history keeps it.")
    return report


def _bring_in(
    connection: sqlite3.Connection,
    books: Books,
    row: PlaceRow,
    annotator: str | None,
    at: str,
    report: PlaceImportReport,
) -> None:
    name = row.annotator or annotator
    if not name:
        raise UnusableError("it has no annotator.")
    response_id, key = find_item(connection, row.key)
    book = books.of(key, row.codebook)
    kind = row.kind or annotator_kind(connection, name) or AnnotatorKind.PERSON
    if row.revision is not None:
        book = book._replace(revision=row.revision)
    intent: Bookmark | PinMemo = Bookmark(True)
    if row.place is not Place.ITEM:
        assert row.number is not None
        quote = row.quote
        if quote is None:
            nobody = Actor(0, book)
            quote = quote_at(load_item(connection, nobody, response_id, -1, ReviewView()), row.place, row.number)
        intent = PinMemo(row.place.value, row.number, _as_read(quote[:QUOTE_CHARACTERS], quote), row.text)
    actor = Actor(ensure_annotator(connection, name, kind), book)
    done = act(connection, actor, response_id, intent, uuid=uuid7(), at=row.at or at, origin="import", blind=row.blind)
    report.annotators.add(name)
    report.changed += done is not None
    report.unchanged += done is None
    report.replaced += bool(done and done.change.memo and done.change.memo[3])
