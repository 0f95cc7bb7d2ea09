"""Tags in and out of an audit file: list them, put some on one item, bring a file of them in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from auditor.audit.item_names import Books, find_item
from auditor.audit.row_report import RowReport
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.formats.json_text import UnusableError
from auditor.formats.records import Refusal
from auditor.formats.row_file import RowFile, parse_item
from auditor.formats.tag_rows import TAG_ROWS, Revealed, TagRow
from auditor.model import AnnotatorKind, ResponseKey, ReviewState
from auditor.store.annotators import (
    StoredCodebook,
    annotator_kind,
    ensure_annotator,
    require_annotators,
)
from auditor.store.file import now, open_file, transaction, translate
from auditor.store.history import Actor, Recorded, act, load_view, seconds_at, uuid7
from auditor.store.reviews import Intent, PutTags, Reveal, ReviewView
from auditor.store.tag_records import TagRecord, iterate_tag_records, tag_names
from auditor.text import counted, visible_line

__all__ = ["TagImportOptions", "TagImportReport", "TagRecord", "import_tags", "list_tags", "put_tags"]

_REVIEWS_A_TRANSACTION = 500

Progress = Callable[[str, int, int], None]
"""Called with a file's name, the reviews done and the reviews in all."""


def list_tags(
    connection: sqlite3.Connection, where: str = "", annotator: str | None = None, tags: Sequence[str] = ()
) -> Iterator[TagRecord]:
    """Read one record an (item, annotator, tag); an item reviewed with none gives one whose tag is None.

    `tags` are ids: only their records are read. Raises InputError for an annotator or a tag that the file does not
    know, and for a bad filter.
    """
    if annotator is not None:
        require_annotators(connection, [annotator])
    known = tag_names(connection)
    for tag in tags:
        if tag not in known:
            shown = ", ".join(visible_line(one, 60) for one in known[:40]) or "none so far"
            raise InputError(f"there is no tag {visible_line(tag, 60)!r} in this file.", hint=f"Tags: {shown}.")
    records = iterate_tag_records(connection, where, () if annotator is None else (annotator,))
    return (record for record in records if record.tag in tags) if tags else records


# --- one item ------------------------------------------------------------------------------------------------------


def put_tags(
    path: Path,
    annotator: str,
    item: str,
    tags: Sequence[str],
    *,
    first: str | None = None,
    note: str | None = None,
    none: bool = False,
    kind: AnnotatorKind | None = None,
    codebook: str | None = None,
) -> Recorded | None:
    """Put tags (ids or names) on an item beside those it has and mark it reviewed; None when it was so already.

    `first` is a tag that is put on too, as the one that came first. With `none` the item is reviewed and has no tag:
    those it had are taken off. Raises InputError for an unknown item, tag or codebook, and for tags that exclude each
    other.
    """
    tags = [*tags, *([first] if first is not None else [])]
    if none == bool(tags):
        raise InputError("nothing says which tags the item has, or that it has none.", hint="Give --tag T, or --none.")
    try:
        with closing(open_file(path)) as connection, transaction(connection):
            books = Books(connection, codebook)
            try:
                key = parse_item(item)
                response_id, key = find_item(connection, key)
                book = books.of(key, None)
                _refuse_retired(book.codebook, tags)
                first_id = None if first is None else book.codebook.find_tag(first).id
                intent = PutTags(_tag_ids(book.codebook, tags), note, replace=none, first_cause=first_id)
            except UnusableError as error:
                raise InputError(str(error)) from error
            kind = kind or annotator_kind(connection, annotator) or AnnotatorKind.PERSON
            actor = Actor(ensure_annotator(connection, annotator, kind), book)
            return act(connection, actor, response_id, intent, uuid=uuid7(), at=now(), origin="command")
    except sqlite3.Error as error:
        raise translate(error, path) from error


# --- a file of tags ------------------------------------------------------------------------------------------------


class TagImportOptions(NamedTuple):
    """What holds where the file does not say it, and what to do with what is there already."""

    annotator: str | None = None
    kind: AnnotatorKind | None = None
    codebook: str | None = None
    replace: bool = False
    """Whether the file's tags, note and state stand instead of those that are there."""


@dataclass(slots=True)
class TagImportReport(RowReport):
    """What became of the rows of a tags file."""

    reviews: int = 0
    """(item, annotator) pairs that the file brought something new to."""


class _ReviewKey(NamedTuple):
    key: ResponseKey
    annotator: str | None
    codebook: str | None


def import_tags(
    path: Path, file: Path, options: TagImportOptions | None = None, progress: Progress | None = None
) -> TagImportReport:
    """Bring a file of tags into an audit file; the same file again changes nothing.

    All rows of one (item, annotator) are one act, dated as the file says, and refused together: half of them would say
    that the others are absent. Tags that are there already stay beside the file's unless `options.replace`.
    Raises InputError when the file as a whole is unusable, before anything is changed.
    """
    report = TagImportReport()
    options = options or TagImportOptions()
    groups = _read(file, options.annotator, report)
    try:
        with closing(open_file(path)) as connection:
            importer = _TagImport(connection, options, report)
            todo = list(groups.items())
            for at in range(0, len(todo), _REVIEWS_A_TRANSACTION):
                with transaction(connection):
                    for key, rows in todo[at : at + _REVIEWS_A_TRANSACTION]:
                        importer.bring_in(key, rows)
                if progress:
                    progress(file.name, min(at + _REVIEWS_A_TRANSACTION, len(todo)), len(todo))
            importer.say_notes()
    except sqlite3.Error as error:
        raise translate(error, path) from error
    return report


def _read(file: Path, annotator: str | None, report: TagImportReport) -> dict[_ReviewKey, list[TagRow]]:
    """Read all rows, those of one review together, in the order in which the reviews come first."""
    source = RowFile(file, TAG_ROWS)
    groups: dict[_ReviewKey, list[TagRow]] = {}
    for row in source.rows():
        report.rows += 1
        if isinstance(row, Refusal):
            report.refusals.append(row)
        else:
            groups.setdefault(_ReviewKey(row.key, row.annotator or annotator, row.codebook), []).append(row)
    if {"decision", "decided_by"} <= set(source.ignored):
        # A row that says absent would come in as a tag.
        raise InputError(
            "these are decisions, which are no annotator's tags, so they are not brought in as such.",
            where=visible_line(file.name),
            hint="Export without --adjudicated what annotators said; `auditor merge` brings decisions along.",
        )
    if not report.rows:
        report.notes.append(f"{visible_line(file.name)} holds no rows.")
    if source.ignored:
        names = ", ".join(visible_line(name, 40) for name in sorted(source.ignored)[:20])
        report.notes.append(f"columns that mean nothing here were left out: {names}.")
    return groups


class _TagImport:
    """Brings reviews in, one act each; expects to be inside a transaction."""

    def __init__(self, connection: sqlite3.Connection, options: TagImportOptions, report: TagImportReport) -> None:
        self.connection = connection
        self.options = options
        self.report = report
        self.books = Books(connection, options.codebook)
        self.at = now()
        self.actors: dict[tuple[int, int, int], Actor] = {}
        """By annotator, codebook and revision: an actor works out once which tags exclude each other."""
        self.beside = 0
        self.unknown_revisions = 0

    def bring_in(self, key: _ReviewKey, rows: Sequence[TagRow]) -> None:
        """Do one review's act; refuse all its rows when one cannot be used."""
        bad: dict[str, str] = {}
        try:
            name = key.annotator
            if not name:
                raise UnusableError("it has no annotator.")
            response_id, found = find_item(self.connection, key.key)
            book = self.books.of(found, key.codebook)
            tags: list[str] = []
            first: list[str] = []
            for row in rows:
                try:
                    ids = () if row.tag is None else _tag_ids(book.codebook, [row.tag])
                except UnusableError as error:
                    bad[row.where] = str(error)
                    continue
                tags += ids
                if row.first_cause:
                    first += ids or [""]
            if bad:
                raise UnusableError(f"it belongs to a review that was refused for {next(iter(bad))}.")
            intent, kind = self._intent(rows, _tag_ids(book.codebook, tags), first), self._kind(name, rows)
            self._act(response_id, name, kind, book, intent, rows)
        except UnusableError as error:
            self.report.refusals += [Refusal(row.where, bad.get(row.where, str(error))) for row in rows]

    def _intent(self, rows: Sequence[TagRow], tags: tuple[str, ...], first: Sequence[str]) -> PutTags:
        if tags and any(row.tag is None for row in rows):
            raise UnusableError("one row of the review says that there is no tag, and another names one.")
        if "" in first:
            raise UnusableError("a row without a tag cannot be the first cause.")
        if len(set(first)) > 1:
            raise UnusableError(f"only one tag of a review can be the first cause, not {', '.join(first)}.")
        states = {row.state for row in rows if row.state is not None}
        if len(states) > 1:
            raise UnusableError(f"the rows of the review disagree on its state ({', '.join(sorted(states))}).")
        # A note stands on the review, and a file may repeat it on every row or give each tag its own.
        notes = list(dict.fromkeys(row.note for row in rows if row.note))
        note = "\n".join(notes) if len(notes) > 1 else next(iter(notes), "" if self.options.replace else None)
        cause = first[0] if first else "" if self.options.replace else None
        state = states.pop() if states else ReviewState.REVIEWED
        return PutTags(tags, note, state, self.options.replace, cause)

    def _kind(self, name: str, rows: Sequence[TagRow]) -> AnnotatorKind:
        kinds = {row.kind for row in rows if row.kind is not None}
        if len(kinds) > 1:
            raise UnusableError(
                f"the rows of the review disagree on the annotator's kind ({', '.join(sorted(kinds))})."
            )
        given = kinds.pop() if kinds else self.options.kind
        return given or annotator_kind(self.connection, name) or AnnotatorKind.PERSON

    def _act(
        self,
        response_id: int,
        name: str,
        kind: AnnotatorKind,
        book: StoredCodebook,
        intent: PutTags,
        rows: Sequence[TagRow],
    ) -> None:
        revision = max((row.revision for row in rows if row.revision is not None), default=book.revision)
        at = max((row.at for row in rows if row.at is not None), default=self.at)
        try:
            annotator = ensure_annotator(self.connection, name, kind)
        except InputError as error:
            raise UnusableError(str(error)) from error
        key = (annotator, book.id, revision)
        actor = self.actors.get(key) or self.actors.setdefault(key, Actor(annotator, book._replace(revision=revision)))
        before = load_view(self.connection, actor, response_id)
        how = (self.connection, actor, response_id)

        def record(intent: Intent, seconds: float | None = None) -> Recorded | None:
            return act(*how, intent, uuid=uuid7(), at=at, origin="import", blind=blind, seconds=seconds)

        blind = all(row.blind for row in rows)
        timed = max((row.seconds for row in rows if row.seconds is not None), default=None)
        revealed = {row.revealed for row in rows}
        if Revealed.BEFORE in revealed:
            record(Reveal())
        # Time that is known already is not added to: the file may have been written from it.
        done = record(intent, None if seconds_at(*how) is not None else timed)
        if Revealed.AFTER in revealed:
            record(Reveal())
        self.report.annotators.add(name)
        self.report.reviews += done is not None
        self.report.unchanged += done is None
        self.beside += _has_others(done.view if done else before, intent)
        self.unknown_revisions += done is not None and revision > book.revision

    def say_notes(self) -> None:
        """Add to the report what the numbers of the whole file say."""
        if self.beside:
            self.report.notes.append(
                f"{counted(self.beside, 'review')} with tags that are not in this file: they stay,"
                " unless --replace takes them off."
            )
        if self.unknown_revisions:
            self.report.notes.append(
                f"{counted(self.unknown_revisions, 'review')} of a codebook revision that this audit file does not"
                " hold: that number is kept."
            )


def _has_others(view: ReviewView, intent: PutTags) -> bool:
    return bool(set(view.tags) - set(intent.tags))


# --- tags by name --------------------------------------------------------------------------------------------------


def _refuse_retired(codebook: Codebook, tags: Sequence[str]) -> None:
    """Refuse a tag that is out of use; one that comes in a file was put while it was in use."""
    for tag in map(codebook.find_tag, tags):
        if tag.retired:
            counted = codebook.counts_as[tag.id]
            instead = f"; it counts as {counted}" if counted != tag.id else ""
            instead = f"; it was split into {', '.join(tag.split_into)}" if tag.split_into else instead
            raise UnusableError(f"the tag {tag.id} is retired{instead}.")


def _tag_ids(codebook: Codebook, tags: Sequence[str]) -> tuple[str, ...]:
    """Look tags up by id or name; raises UnusableError for an unknown one and for two that exclude each other."""
    try:
        ids = dict.fromkeys(codebook.find_tag(tag).id for tag in tags)
    except InputError as error:
        raise UnusableError(str(error)) from error
    for one in ids if len(ids) > 1 else ():
        for other in codebook.excluded_by(one) & ids.keys():
            raise UnusableError(f"the tags {one} and {other} exclude each other.")
    return tuple(ids)
