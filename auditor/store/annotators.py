"""Annotators and codebooks of an audit file, by name."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from auditor.codebook import Codebook, parse_codebook
from auditor.errors import InputError
from auditor.model import AnnotatorKind, person_of_pass
from auditor.text import from_storage, to_storage, visible_line


class StoredCodebook(NamedTuple):
    """A codebook as it stands in the file."""

    id: int
    revision: int
    codebook: Codebook
    tag_ids: dict[str, int]
    """Row ids of the tags, by the tag's id; also of ids that tags had before."""


def ensure_annotator(connection: sqlite3.Connection, name: str, kind: AnnotatorKind = AnnotatorKind.PERSON) -> int:
    """Return the row id of an annotator, added when new, inside the caller's transaction.

    A person called `ana#2` is the second pass of `ana`, whoever brings it in, and counts nowhere as somebody else.
    Raises InputError for an empty name, or when the name belongs to an annotator of another kind.
    """
    if not name.strip():
        raise InputError("an annotator needs a name.")
    row = find_annotator(connection, name)
    if row is None:
        connection.execute(
            "INSERT INTO annotators (name, kind, pass_of) VALUES (?, ?, ?)",
            (to_storage(name), kind, _person(connection, name) if kind is AnnotatorKind.PERSON else None),
        )
    row, stored = connection.execute("SELECT id, kind FROM annotators WHERE name = ?", (to_storage(name),)).fetchone()
    if stored != kind:
        raise InputError(
            f"the annotator {visible_line(name)!r} is of kind {stored} in this file, not {kind}.",
            hint="People, models and computed modes are kept apart: use another name.",
        )
    return int(row)


def _person(connection: sqlite3.Connection, name: str) -> int | None:
    """Return the row id of the person whose later pass a new annotator is; None when it is a person's first."""
    person = person_of_pass(name)
    if person is None or annotator_kind(connection, person) not in (None, AnnotatorKind.PERSON):
        return None
    row = ensure_annotator(connection, person)
    (first,) = connection.execute("SELECT coalesce(pass_of, id) FROM annotators WHERE id = ?", (row,)).fetchone()
    return int(first)


def find_annotator(connection: sqlite3.Connection, name: str) -> int | None:
    """Return the row id of an annotator, or None."""
    row = connection.execute("SELECT id FROM annotators WHERE name = ?", (to_storage(name),)).fetchone()
    return row[0] if row else None


def annotator_kind(connection: sqlite3.Connection, name: str) -> AnnotatorKind | None:
    """Return the kind of an annotator, or None when the file knows none of this name."""
    row = connection.execute("SELECT kind FROM annotators WHERE name = ?", (to_storage(name),)).fetchone()
    return AnnotatorKind(row[0]) if row else None


def annotator_names(connection: sqlite3.Connection) -> list[str]:
    """List the annotators in the order in which they came."""
    return [from_storage(name) or "" for (name,) in connection.execute("SELECT name FROM annotators ORDER BY id")]


def require_annotators(connection: sqlite3.Connection, names: Sequence[str]) -> None:
    """Raise InputError when the file does not know one of these annotators."""
    for name in names:
        if find_annotator(connection, name) is None:
            known = ", ".join(visible_line(one, 60) for one in annotator_names(connection)[:20]) or "none so far"
            raise InputError(
                f"there is no annotator {visible_line(name, 60)!r} in this file.", hint=f"Annotators: {known}."
            )


def find_codebook_in_file(connection: sqlite3.Connection, name: str) -> StoredCodebook | None:
    """Return the newest revision of a codebook that the file holds, or None."""
    sql = (
        "SELECT b.id, v.revision, v.text FROM codebooks b JOIN codebook_revisions v ON v.codebook_id = b.id"
        " WHERE b.name = ? ORDER BY v.revision DESC LIMIT 1"
    )
    row = connection.execute(sql, (to_storage(name),)).fetchone()
    if row is None:
        return None
    tags = connection.execute("SELECT name, id FROM tags WHERE codebook_id = ?", (row[0],))
    text = from_storage(row[2]) or ""
    return StoredCodebook(
        row[0],
        row[1],
        parsed(text, f"codebook {visible_line(name)} revision {row[1]}"),
        {from_storage(tag) or "": tag_id for tag, tag_id in tags},
    )


@lru_cache(maxsize=4)
def parsed(text: str, where: str) -> Codebook:
    """Parse a codebook once: opening a review reads it more than once, and YAML is slow to read."""
    return parse_codebook(text, where, is_checked=True)


def codebook_names(connection: sqlite3.Connection) -> list[str]:
    """List the codebooks that the file holds, in the order in which they came."""
    return [from_storage(name) or "" for (name,) in connection.execute("SELECT name FROM codebooks ORDER BY id")]


def last_codebook(connection: sqlite3.Connection, annotator_id: int) -> str | None:
    """Return the name of the codebook that an annotator marked under last; None when they marked nothing."""
    sql = (
        "SELECT b.name FROM events e JOIN codebooks b ON b.id = e.codebook_id WHERE e.annotator_id = ?"
        " ORDER BY e.id DESC LIMIT 1"
    )
    row = connection.execute(sql, (annotator_id,)).fetchone()
    return from_storage(row[0]) if row else None
