"""Changing the codebook of an audit file: each change is one revision in one transaction, and says what it touches.

A merged, renamed or retired tag keeps its marks: nothing in the history is rewritten, and no marks are made in
anybody's name. What a tag counts as is looked up in the newest revision when items are counted. So an undo of an
earlier mark reverts exactly that mark, a replay gives the states that it always gave, a tag that is restored has its
items back, and marks that come from somebody else's file under the old id count like those that are here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from auditor.audit.codebooks import codebook_at_hand
from auditor.codebook import Codebook, dump_codebook, load_codebook, parse_codebook
from auditor.codebook_changes import Revised, Step, take_file
from auditor.errors import InputError
from auditor.store.annotators import StoredCodebook, find_annotator, find_codebook_in_file, require_annotators
from auditor.store.codebook_revisions import Revision, ensure_codebook, revise, revisions
from auditor.store.file import BUSY_SECONDS, open_file, open_for_reading, transaction, translate
from auditor.store.outdated import Outdated, TagUse, carrying_items, outdated_work, tag_uses
from auditor.text import counted


@dataclass(frozen=True, slots=True)
class Carried:
    """How many items carry a tag, and whose they are."""

    tag: str
    items: int
    """Those that somebody put it on; each counts once."""
    reviews: int
    """Pairs of an item and an annotator."""
    annotators: tuple[str, ...]
    first: int = 0
    """Of the reviews, those in which the tag is marked as the one that came first."""

    @property
    def words(self) -> str:
        """Say it: `15 items in 30 reviews of 2 annotators carry it, in 3 of these reviews as the first cause`."""
        if not self.items:
            return "no item carries it"
        several = self.reviews != self.items
        where = f" in {counted(self.reviews, 'review')}" if several else ""
        people = counted(len(self.annotators), "annotator")
        among = f"in {self.first:,} of these reviews" if several else f"on {self.first:,} of them"
        first = f", {among} as the first cause" if self.first else ""
        return f"{counted(self.items, 'item')}{where} of {people} {'carries' if self.items == 1 else 'carry'} it{first}"


@dataclass(frozen=True, slots=True)
class RevisionReport:
    """What a change of a codebook did, or would do."""

    codebook: str
    revision: int
    """The one that the change made, or would make."""
    action: str
    words: str
    touched: tuple[Carried, ...]
    """Who carried the tags that it is about."""
    outdated: int
    """Pairs of an item and an annotator that need another look under this codebook after the change."""
    outdated_before: int = 0
    """Those of them that needed it before the change."""


@dataclass(frozen=True, slots=True)
class CodebookView:
    """A codebook as it stands in an audit file, with who uses which tag."""

    codebook: Codebook
    revision: int
    """0 = the file does not hold it yet, since nobody has done anything under it."""
    uses: tuple[TagUse, ...] = ()
    items: Mapping[str, int] = field(default_factory=dict)
    """On how many items each tag was put, whoever put it."""
    revisions: tuple[Revision, ...] = ()
    outdated: int = 0
    """Pairs of an item and an annotator that need another look."""

    def carried(self, tag: str) -> Carried:
        """Say who carries a tag, or what counts as it."""
        mine = [use for use in self.uses if use.tag == tag]
        first = sum(use.first for use in mine)
        reviews = sum(use.items for use in mine)
        return Carried(tag, self.items.get(tag, 0), reviews, tuple(use.annotator for use in mine), first)


# --- changes -------------------------------------------------------------------------------------------------------


def revise_codebook(
    path: Path,
    step: Step,
    *,
    codebook: str | None = None,
    dry_run: bool = False,
    busy_seconds: float = BUSY_SECONDS,
) -> RevisionReport:
    """Make one change to the codebook of an audit file; a dry run says what it would touch and keeps nothing.

    Raises InputError where the change is refused or changes nothing, or there is no such codebook.
    """

    def change(connection: sqlite3.Connection) -> RevisionReport:
        book = codebook_at_hand(connection, codebook)
        return _change(connection, ensure_codebook(connection, book), step)

    return _once(path, change, dry_run, busy_seconds)


def import_codebook(path: Path, file: Path, *, meaning: bool = False, dry_run: bool = False) -> RevisionReport:
    """Let the codebook of a YAML file follow the one of its name in the audit file, or be the first of that name.

    Tags that the file leaves out are retired. `meaning` says that changed definitions mean something else now.
    """
    given = load_codebook(file)

    def change(connection: sqlite3.Connection) -> RevisionReport:
        stored = find_codebook_in_file(connection, given.name)
        if stored is not None:
            return _change(connection, stored, lambda book: take_file(book, given, meaning=meaning))
        kept = ensure_codebook(connection, given)
        return RevisionReport(given.name, kept.revision, "import", f"the codebook {given.name} added", (), 0)

    return _once(path, change, dry_run)


def _change(connection: sqlite3.Connection, before: StoredCodebook, step: Step) -> RevisionReport:
    revised = step(before.codebook)
    if revised.book == before.codebook and not revised.outdated:
        raise InputError("that is so already, so nothing was changed.")
    touched, outdated_before = _touched(connection, before, revised), _count_outdated(connection, before.id)
    after = revise(connection, before, revised)
    if revised.action == "restore":
        # What was merged counted as another tag before.
        touched = _touched(connection, after, revised)
    outdated = _count_outdated(connection, after.id)
    made = (after.codebook.name, after.revision, revised.action, revised.words)
    return RevisionReport(*made, touched, outdated, outdated_before)


def _touched(connection: sqlite3.Connection, before: StoredCodebook, revised: Revised) -> tuple[Carried, ...]:
    uses, items = tuple(tag_uses(connection, before.id)), carrying_items(connection, before.id)
    view = CodebookView(before.codebook, before.revision, uses, items)
    # A tag that the change gave another id was carried under the old one.
    old = {tag.id: tag.id for tag in before.codebook.tags}
    now_called = {id_: tag.id for tag in revised.book.tags for id_ in tag.formerly}
    old |= {now_called[id_]: id_ for id_ in old if id_ in now_called and now_called[id_] not in old}
    return tuple(view.carried(old.get(tag, tag)) for tag in revised.touched)


def _count_outdated(connection: sqlite3.Connection, codebook_id: int) -> int:
    return len({(one.item, one.annotator) for one in outdated_work(connection, codebook_id, None)})


class _NotKeptError(Exception):
    """Ends a transaction that only shows what it would do."""


@contextmanager
def _tried(connection: sqlite3.Connection, dry_run: bool) -> Iterator[None]:
    with suppress(_NotKeptError), transaction(connection):
        yield
        if dry_run:
            raise _NotKeptError


def _once(
    path: Path,
    change: Callable[[sqlite3.Connection], RevisionReport],
    dry_run: bool,
    busy_seconds: float = BUSY_SECONDS,
) -> RevisionReport:
    report: list[RevisionReport] = []
    try:
        with closing(open_file(path, busy_seconds=busy_seconds)) as connection, _tried(connection, dry_run):
            report.append(change(connection))
    except sqlite3.Error as error:
        raise translate(error, path) from error
    return report[0]


# --- looking -------------------------------------------------------------------------------------------------------


def view_codebook(
    path: Path, codebook: str | None = None, *, revision: int | None = None, annotator: str | None = None
) -> CodebookView:
    """Return a codebook of an audit file as it stands, or as a revision had it, with the uses of all or of one.

    Raises InputError for a codebook, a revision or an annotator that there is not.
    """
    try:
        with closing(open_for_reading(path)) as connection:
            if annotator is not None:
                require_annotators(connection, [annotator])
            who = None if annotator is None else find_annotator(connection, annotator)
            book = codebook_at_hand(connection, codebook)
            stored = find_codebook_in_file(connection, book.name)
            if stored is None:
                if revision is not None:
                    raise InputError("the audit file holds no revision of this codebook yet.")
                return CodebookView(book, 0)
            past = tuple(revisions(connection, stored.id))
            book, number = stored.codebook, stored.revision
            if revision is not None:
                book, number = _past_book(past, revision, book.name), revision
            uses = tuple(tag_uses(connection, stored.id, who))
            outdated = {(one.item, one.annotator) for one in outdated_work(connection, stored.id, who)}
            items = carrying_items(connection, stored.id, who)
            return CodebookView(book, number, uses, items, past, len(outdated))
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _past_book(past: tuple[Revision, ...], revision: int, name: str) -> Codebook:
    for one in past:
        if one.revision == revision:
            return parse_codebook(one.text, name)
    raise InputError(f"the codebook has no revision {revision}.", hint=f"It has 1 to {past[-1].revision}.")


def list_outdated(
    path: Path, annotator: str | None = None, codebook: str | None = None
) -> tuple[Codebook, list[Outdated]]:
    """List what needs another look since the codebook changed, of one annotator or of all, and the codebook."""
    try:
        with closing(open_for_reading(path)) as connection:
            if annotator is not None:
                require_annotators(connection, [annotator])
            book = codebook_at_hand(connection, codebook)
            stored = find_codebook_in_file(connection, book.name)
            who = None if annotator is None else find_annotator(connection, annotator)
            return book, [] if stored is None else list(outdated_work(connection, stored.id, who))
    except sqlite3.Error as error:
        raise translate(error, path) from error


def outdated_words(book: Codebook, one: Outdated) -> str:
    """Say why an item needs another look: `copying was split into lost, doubled`."""
    tag = next((tag for tag in book.tags if one.tag in (tag.id, *tag.formerly)), None)
    match one.reason:
        case "merged":
            return f"{one.tag} was merged into {tag.merged_into if tag and tag.merged_into else 'another tag'}"
        case "split":
            return f"{one.tag} was split into {', '.join(tag.split_into) if tag else 'others'}"
        case "retired":
            return f"{one.tag} was retired"
        case "new":
            return f"{one.tag} is new"
        case _:
            return f"{one.tag} means something else now"


def export_codebook(path: Path, codebook: str | None = None, revision: int | None = None) -> str:
    """Return a codebook of an audit file as YAML: the newest revision, or another one."""
    return dump_codebook(view_codebook(path, codebook, revision=revision).codebook)
