"""Say that predictions count nowhere since they were asked wrongly, take that back, and list what is invalid.

Each is an event of the history under the codebook of the prediction's study; one call is one act, whole or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from auditor.audit.item_names import Books
from auditor.errors import InputError
from auditor.formats.json_text import UnusableError
from auditor.formats.row_file import utc_time
from auditor.model import AnnotatorKind, ResponseKey
from auditor.store.annotators import annotator_kind, ensure_annotator, find_annotator, require_annotators
from auditor.store.changes import INVALID, VALID, Validity
from auditor.store.codebook_revisions import codebook_of_id
from auditor.store.expr import parse
from auditor.store.file import now, open_file, transaction, translate
from auditor.store.history import Actor, act, step, uuid7
from auditor.store.invalidations import Invalid, count_behind, count_invalid, invalid_keys, last_word, said_invalid
from auditor.store.responses import key_of_response
from auditor.store.reviews import SetValidity
from auditor.store.selection import matching_responses
from auditor.store.suggestions import hint_for_nothing
from auditor.text import visible_line

Progress = Callable[[str, int, int], None]
_EVERY = 500


class InvalidItem(NamedTuple):
    """An invalid prediction."""

    key: ResponseKey
    why: Invalid


@dataclass(frozen=True, slots=True)
class Invalidated:
    """What an act did."""

    changed: list[ResponseKey]
    tasks: int
    """To which so many tasks the changed predictions answer."""
    reviewed: int
    """Of the changed predictions, those that somebody reviewed or tagged."""
    already: int
    """Predictions that the filter leaves and that were so before."""
    invalid: int
    """How many are invalid in all after it."""


def set_validity(
    path: Path,
    annotator: str,
    where: str,
    reason: str,
    *,
    restore: bool = False,
    codebook: str | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Invalidated:
    """Say that the predictions that a filter leaves are invalid, or with `restore` that they count again.

    Raises InputError for an empty reason, a bad filter, one that leaves nothing, and an unknown codebook.
    """
    if not reason.strip():
        raise InputError("nothing says why.", hint="Give --reason TEXT; it stays in the history.")
    wanted = Validity(VALID if restore else INVALID, reason)
    parse(where)
    try:
        with closing(open_file(path)) as connection, transaction(connection):
            left = _chosen(connection, where, invalid=restore)
            already = len(_chosen(connection, where, invalid=not restore))
            if not left:
                raise _nothing(connection, where, already, restore)
            if not dry_run:
                _Writer(connection, annotator, codebook, progress).write(left, wanted)
            return _told(connection, left, already)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def take_back(path: Path, annotator: str) -> Invalidated:
    """Take back the last act by which somebody invalidated or restored predictions; raises InputError for none."""
    try:
        with closing(open_file(path)) as connection, transaction(connection):
            require_annotators(connection, [annotator])
            who = find_annotator(connection, annotator) or 0
            event = last_word(connection, who)
            if event is None:
                raise InputError(f"{visible_line(annotator, 60)} has invalidated and restored nothing that holds.")

            def under(codebook_id: int) -> Actor:
                return Actor(who, codebook_of_id(connection, codebook_id))

            done = step(connection, under, event, "undo", uuid=uuid7(), at=now(), origin="command")
            rows = [] if done is None else [done.response_id, *(row for row, _ in done.others)]
            return _told(connection, rows, 0)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def take_over(connection: sqlite3.Connection, after: int) -> int:
    """Invalidate the responses with higher row ids than one that came with a word on it; return how many.

    The word is an object with `reason`, `by` and `at`, as an exported run has it.
    """
    said = list(said_invalid(connection, after))
    with transaction(connection):
        books, batch = Books(connection, None), uuid7()
        for done, (response_id, word) in enumerate(said):
            by = word.get("by")
            name = by if isinstance(by, str) and by.strip() else "import"
            try:
                book = books.of(key_of_response(connection, response_id), None)
            except UnusableError as error:
                raise InputError(str(error)) from error
            kind = annotator_kind(connection, name) or AnnotatorKind.PERSON
            actor = Actor(ensure_annotator(connection, name, kind), book)
            intent = SetValidity(Validity(INVALID, word["reason"]))
            uuid, at = uuid7() if done else batch, _time(word.get("at"))
            act(connection, actor, response_id, intent, uuid=uuid, at=at, origin="import", batch=batch)
    return len(said)


def _time(value: object) -> str:
    """Return a time as the audit file writes it; now where a value is none."""
    try:
        return utc_time(value) if isinstance(value, str) else now()
    except (ValueError, OverflowError):
        return now()


def list_invalid(connection: sqlite3.Connection, where: str = "") -> Iterator[InvalidItem]:
    """Read the invalid predictions that a filter leaves; raises InputError for a bad filter."""
    for key, why in invalid_keys(connection, _chosen(connection, where, invalid=True)):
        yield InvalidItem(key, why)


def _chosen(connection: sqlite3.Connection, where: str, *, invalid: bool) -> list[int]:
    """Return the live predictions that a filter leaves and that are invalid, or are not, in the order of import."""
    which = f"invalid:{'yes' if invalid else 'no'}"
    return matching_responses(connection, f"({where}) {which}" if where.strip() else which)


def _nothing(connection: sqlite3.Connection, where: str, already: int, restore: bool) -> InputError:
    if already:
        which = "all count already" if restore else "all are invalid already"
        return InputError(f"there is nothing to do for {visible_line(where)!r}: {which} ({already:,}).")
    shown = f"no response matches {visible_line(where)!r}."
    return InputError(shown, hint=hint_for_nothing(connection, where))


class _Writer:
    """Writes one act, inside the caller's transaction."""

    def __init__(
        self, connection: sqlite3.Connection, annotator: str, codebook: str | None, progress: Progress | None
    ) -> None:
        self._connection = connection
        self._books = Books(connection, codebook)
        kind = annotator_kind(connection, annotator) or AnnotatorKind.PERSON
        self._annotator = ensure_annotator(connection, annotator, kind)
        self._actors: dict[str, Actor] = {}
        """By study."""
        self._progress = progress

    def write(self, response_ids: Sequence[int], wanted: Validity) -> None:
        batch, at, intent = uuid7(), now(), SetValidity(wanted)
        for done, response_id in enumerate(response_ids):
            actor = self._actor(key_of_response(self._connection, response_id))
            uuid = uuid7() if done else batch
            act(self._connection, actor, response_id, intent, uuid=uuid, at=at, origin="command", batch=batch)
            if self._progress and done % _EVERY == 0:
                self._progress("writing", done, len(response_ids))

    def _actor(self, key: ResponseKey) -> Actor:
        if key.study not in self._actors:
            try:
                book = self._books.of(key, None)
            except UnusableError as error:
                raise InputError(str(error), hint="Name one with --codebook.") from error
            self._actors[key.study] = Actor(self._annotator, book)
        return self._actors[key.study]


def _told(connection: sqlite3.Connection, changed: Sequence[int], already: int) -> Invalidated:
    tasks, reviewed = count_behind(connection, changed)
    keys = [key_of_response(connection, row) for row in changed]
    return Invalidated(keys, tasks, reviewed, already, count_invalid(connection))
