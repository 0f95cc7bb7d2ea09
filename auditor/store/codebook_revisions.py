"""Revisions of the codebooks in an audit file: kept one after the other, with what each changed.

Applications of tags are never rewritten when a codebook changes. `tags.counts_as` says for each tag under which one its
applications are counted; it is worked out from the newest revision, so that taking a change back takes its counts back,
and the history replays as it was written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from auditor.codebook import Codebook, dump_codebook
from auditor.errors import InputError
from auditor.store.annotators import StoredCodebook, find_codebook_in_file, parsed
from auditor.store.file import now
from auditor.store.json_column import dump_json
from auditor.store.tasks import HASH_BYTES
from auditor.text import from_storage, to_storage, visible_line

if TYPE_CHECKING:
    from auditor.codebook_changes import Revised


class Revision(NamedTuple):
    """One revision of a codebook."""

    revision: int
    at: str
    action: str
    """`file` where it came with a file."""
    words: str
    """What it changed."""
    text: str
    """The codebook as YAML."""


def ensure_codebook(connection: sqlite3.Connection, codebook: Codebook) -> StoredCodebook:
    """Keep a codebook in the file inside the caller's transaction; other content than the newest is a new revision.

    One that equals an earlier revision is that file's past: the newest stays. Tags that it leaves out are retired.
    Raises InputError where it uses an id for something else than the file does.
    """
    stored = find_codebook_in_file(connection, codebook.name)
    if stored is None:
        connection.execute("INSERT INTO codebooks (name) VALUES (?)", (to_storage(codebook.name),))
        sql = "SELECT id FROM codebooks WHERE name = ?"
        (row,) = connection.execute(sql, (to_storage(codebook.name),)).fetchone()
        return _keep(connection, row, 1, codebook)
    if is_known(connection, stored, codebook):
        return stored
    from auditor.codebook_changes import take_file  # only what changes a codebook needs it

    return revise(connection, stored, replace(take_file(stored.codebook, codebook), action="file"))


def codebook_of_id(connection: sqlite3.Connection, codebook_id: int) -> StoredCodebook:
    """Return the newest revision of a codebook by its row id; raises LookupError when the file holds none."""
    (name,) = connection.execute("SELECT name FROM codebooks WHERE id = ?", (codebook_id,)).fetchone()
    found = find_codebook_in_file(connection, from_storage(name) or "")
    if found is None:
        raise LookupError(codebook_id)
    return found


def is_known(connection: sqlite3.Connection, stored: StoredCodebook, codebook: Codebook) -> bool:
    """Say whether a codebook is the newest revision that the file holds, or an earlier one."""
    hashes = "SELECT 1 FROM codebook_revisions WHERE codebook_id = ? AND content_hash = ?"
    if connection.execute(hashes, (stored.id, codebook_hash(codebook))).fetchone():
        return True
    if _follows(stored.codebook, codebook, stored.codebook):
        return True
    # A file that left tags out gave a revision in which they are retired, which is not what the file says.
    earlier = [parsed(one.text, codebook.name) for one in revisions(connection, stored.id)]
    return any(_follows(before, codebook, after) for before, after in pairwise(earlier))


def _follows(before: Codebook, given: Codebook, after: Codebook) -> bool:
    """Say whether a codebook led from one revision to another."""
    from auditor.codebook_changes import continued

    try:
        return continued(before, given) == after
    except InputError:  # it uses an id that means something else there
        return False


def revise(connection: sqlite3.Connection, stored: StoredCodebook, revised: Revised) -> StoredCodebook:
    """Keep a change as the next revision, inside the caller's transaction."""
    after = _keep(connection, stored.id, stored.revision + 1, revised.book)
    connection.execute(
        "INSERT INTO codebook_changes (codebook_id, revision, action, words) VALUES (?, ?, ?, ?)",
        (stored.id, after.revision, revised.action, to_storage(revised.words)),
    )
    for tag in {tag.id for tag in stored.codebook.tags if tag.retired} & {tag.id for tag in revised.book.active}:
        _forget_retirement(connection, after, tag)
    # What counted as the tag before the change is outdated with it.
    before = stored.codebook.counts_as
    rows = [
        (after.tag_ids[id_], after.revision, reason, revised.all_reviewed)
        for tag, reason in revised.outdated.items()
        for past in (_ids_of(revised.book, tag),)
        for id_ in revised.book.counts_as
        if id_ in past or before.get(id_) in past
    ]
    connection.executemany("INSERT OR IGNORE INTO outdated_tags VALUES (?, ?, ?, ?)", rows)
    return after


def _forget_retirement(connection: sqlite3.Connection, book: StoredCodebook, tag: str) -> None:
    """Take off the list what stood on it because a tag was retired that is in use again."""
    own = [book.tag_ids[id_] for id_ in _ids_of(book.codebook, tag)]
    all_ids = [book.tag_ids[id_] for id_, counted in book.codebook.counts_as.items() if counted == tag]
    retired = "reason IN ('retired', 'merged', 'split')"
    connection.execute(
        f"DELETE FROM outdated_tags WHERE {retired} AND tag_id IN ({', '.join('?' * len(all_ids))}) AND revision IN"
        f" (SELECT revision FROM outdated_tags WHERE {retired} AND tag_id IN ({', '.join('?' * len(own))}))",
        (*all_ids, *own),
    )


def revisions(connection: sqlite3.Connection, codebook_id: int) -> list[Revision]:
    """List the revisions of a codebook, the oldest first."""
    sql = (
        "SELECT v.revision, v.created_at, coalesce(c.action, 'file'), coalesce(c.words, ''), v.text"
        " FROM codebook_revisions v LEFT JOIN codebook_changes c USING (codebook_id, revision)"
        " WHERE v.codebook_id = ? ORDER BY v.revision"
    )
    return [
        Revision(revision, at, action, from_storage(words) or "", from_storage(text) or "")
        for revision, at, action, words, text in connection.execute(sql, (codebook_id,))
    ]


def newest_revision(connection: sqlite3.Connection, codebook_id: int) -> int:
    """Return the number of a codebook's newest revision; 0 when there is none."""
    sql = "SELECT coalesce(max(revision), 0) FROM codebook_revisions WHERE codebook_id = ?"
    return int(connection.execute(sql, (codebook_id,)).fetchone()[0])


def changes_since(connection: sqlite3.Connection, codebook_id: int, revision: int) -> list[str]:
    """Return what the revisions after one changed, in words, the oldest first."""
    sql = "SELECT words FROM codebook_changes WHERE codebook_id = ? AND revision > ? ORDER BY revision"
    return [from_storage(words) or "" for (words,) in connection.execute(sql, (codebook_id, revision))]


def counting_differences(connection: sqlite3.Connection) -> list[str]:
    """Say for which tags the file counts otherwise than the newest revision of their codebook says."""
    found = []
    for (name,) in connection.execute("SELECT name FROM codebooks ORDER BY id").fetchall():
        stored = find_codebook_in_file(connection, from_storage(name) or "")
        assert stored is not None
        ids = {row: tag for tag, row in stored.tag_ids.items()}
        sql = "SELECT id, coalesce(counts_as, id) FROM tags WHERE codebook_id = ? ORDER BY id"
        for row, counted in connection.execute(sql, (stored.id,)):
            right = stored.codebook.counts_as.get(ids[row], ids[row])
            if ids.get(counted) != right:
                found.append(
                    f"codebook {visible_line(stored.codebook.name)}: {visible_line(ids[row])} counts as"
                    f" {visible_line(ids.get(counted, '?'))}, not as {visible_line(right)}"
                )
    return found


def _keep(connection: sqlite3.Connection, codebook_id: int, revision: int, book: Codebook) -> StoredCodebook:
    connection.execute(
        "INSERT INTO codebook_revisions (codebook_id, revision, content_hash, text, created_at, follows)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            codebook_id,
            revision,
            codebook_hash(book),
            to_storage(dump_codebook(book)),
            now(),
            dump_json([revision - 1] if revision > 1 else []),
        ),
    )
    return count_as_newest(connection, codebook_id, book)


def count_as_newest(connection: sqlite3.Connection, codebook_id: int, book: Codebook) -> StoredCodebook:
    """Let the file's tags count as the newest revision says, inside the caller's transaction."""
    connection.executemany(
        "INSERT INTO tags (codebook_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(codebook_id, to_storage(id_)) for id_ in book.counts_as],
    )
    stored = find_codebook_in_file(connection, book.name)
    assert stored is not None
    counted = [(book.counts_as.get(id_, id_), row) for id_, row in stored.tag_ids.items()]
    connection.executemany(
        "UPDATE tags SET counts_as = nullif(?, id) WHERE id = ?",
        [(stored.tag_ids[one], row) for one, row in counted],
    )
    return stored


def _ids_of(book: Codebook, tag: str) -> Sequence[str]:
    """Return a tag's id and those that it had before."""
    return next(((one.id, *one.formerly) for one in book.tags if one.id == tag), (tag,))


def codebook_hash(book: Codebook) -> bytes:
    """Hash the contents of a codebook as the file keeps it."""
    return bytes.fromhex(book.content_hash)[:HASH_BYTES]
