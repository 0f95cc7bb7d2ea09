"""Items that need another look: their tags' codebook changed after their annotator judged them last.

An item was judged last under the revision of the latest event that put, took off or confirmed tags and was not undone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from auditor.model import join_key
from auditor.store.invalidations import IS_INVALID
from auditor.text import from_storage

JUDGED = (
    "coalesce((SELECT max(e.revision) FROM events e WHERE e.response_id = w.response_id"
    " AND e.annotator_id = w.annotator_id AND e.codebook_id = w.codebook_id"
    " AND e.action IN ('tag', 'untag', 'reviewed', 'nothing', 'put') AND coalesce("
    "(SELECT x.action FROM events x WHERE x.undoes = e.id ORDER BY x.id DESC LIMIT 1), '') <> 'undo'), 0)"
)
"""The revision under which the review `w` was judged last."""
_CARRIED = (
    "EXISTS (SELECT 1 FROM applied_tags p WHERE p.response_id = w.response_id AND p.codebook_id = w.codebook_id"
    " AND p.annotator_id = w.annotator_id AND p.tag_id = o.tag_id)"
)
_CONCERNED = (
    f"k.codebook_id = w.codebook_id AND ({_CARRIED} OR (o.all_reviewed AND w.state = 'reviewed'))"
    f" AND o.revision > {JUDGED}"
)
"""Whether an outdated tag `o`, which is the tag `k`, concerns the review `w`."""
NEEDS_LOOK = f"EXISTS (SELECT 1 FROM outdated_tags o JOIN tags k ON k.id = o.tag_id WHERE {_CONCERNED})"
"""Whether the review `w` needs another look."""


class Outdated(NamedTuple):
    """Why one annotator's work on one item needs another look."""

    item: str
    annotator: str
    codebook: str
    tag: str
    """The tag that was put, by the id that it had then; for a new tag, that one."""
    reason: str
    revision: int
    """Of the codebook, where it changed."""
    judged: int
    """The revision under which the annotator judged the item last."""


def needs_look(connection: sqlite3.Connection, annotator_id: int, codebook_id: int, response_id: int) -> bool:
    """Say whether an annotator's work on an item needs another look."""
    sql = (
        f"SELECT 1 FROM reviews w WHERE w.response_id = ? AND w.codebook_id = ? AND w.annotator_id = ? AND {NEEDS_LOOK}"
    )
    return connection.execute(sql, (response_id, codebook_id, annotator_id)).fetchone() is not None


def outdated_responses(connection: sqlite3.Connection, annotator_id: int, codebook_id: int) -> set[int]:
    """Return the row ids of an annotator's items that need another look."""
    sql = f"SELECT w.response_id FROM reviews w WHERE w.annotator_id = ? AND w.codebook_id = ? AND {NEEDS_LOOK}"
    return {row for (row,) in connection.execute(sql, (annotator_id, codebook_id))}


def count_outdated(connection: sqlite3.Connection, annotator_id: int, codebook_id: int) -> int:
    """Count an annotator's live items that need another look."""
    if not has_outdated_tags(connection, codebook_id):
        return 0
    sql = (
        "SELECT count(*) FROM reviews w JOIN responses r ON r.id = w.response_id"
        f" WHERE w.annotator_id = ? AND w.codebook_id = ? AND r.superseded_at IS NULL AND NOT {IS_INVALID}"
        f" AND {NEEDS_LOOK}"
    )
    return int(connection.execute(sql, (annotator_id, codebook_id)).fetchone()[0])


def has_outdated_tags(connection: sqlite3.Connection, codebook_id: int) -> bool:
    """Say whether a change of a codebook may have left anything that needs another look."""
    sql = "SELECT 1 FROM outdated_tags o JOIN tags k ON k.id = o.tag_id WHERE k.codebook_id = ? LIMIT 1"
    return connection.execute(sql, (codebook_id,)).fetchone() is not None


def outdated_work(
    connection: sqlite3.Connection, codebook_id: int, annotator_id: int | None, response_id: int | None = None
) -> Iterator[Outdated]:
    """List what needs another look under a codebook, one row a tag, in the order of the names.

    Without an annotator everybody's, without a response all items'.
    """
    sql = (
        "SELECT s.name, c.name, t.arm, g.name, r.sample, a.name, b.name, k.name, o.reason, max(o.revision),"
        f" {JUDGED} FROM outdated_tags o JOIN tags k ON k.id = o.tag_id JOIN reviews w ON w.codebook_id ="
        " k.codebook_id JOIN annotators a ON a.id = w.annotator_id JOIN codebooks b ON b.id = w.codebook_id"
        " JOIN responses r ON r.id = w.response_id JOIN tasks t ON t.id = r.task_id JOIN cases c ON c.id = t.case_id"
        " JOIN studies s ON s.id = c.study_id JOIN settings g ON g.id = r.setting_id"
        " WHERE k.codebook_id = ?1 AND (?2 IS NULL OR w.annotator_id = ?2) AND r.superseded_at IS NULL"
        f" AND (?3 IS NULL OR w.response_id = ?3) AND {_CONCERNED} GROUP BY w.response_id, w.annotator_id, o.tag_id"
        " ORDER BY s.name, c.name, t.arm, g.name, r.sample, a.name, k.name"
    )
    for *names, sample, annotator, book, tag, reason, revision, judged in connection.execute(
        sql, (codebook_id, annotator_id, response_id)
    ):
        key = join_key([*(from_storage(name) or "" for name in names), sample])
        who, under, what, why = (from_storage(text) or "" for text in (annotator, book, tag, reason))
        yield Outdated(key, who, under, what, why, revision, judged)


class TagUse(NamedTuple):
    """Whose items carry a tag, whatever it counts as."""

    tag: str
    annotator: str
    items: int
    first: int = 0
    """Of the items, those on which the tag is marked as the one that came first."""


def tag_uses(connection: sqlite3.Connection, codebook_id: int, annotator_id: int | None = None) -> list[TagUse]:
    """Count the live items that carry each tag, by the tag that they count as, for each annotator or for one."""
    sql = (
        "SELECT k.name, a.name, count(DISTINCT p.response_id), count(DISTINCT CASE WHEN w.first_cause_id ="
        " p.applied_tag_id THEN p.response_id END) FROM counted_tags p JOIN tags k ON k.id = p.tag_id"
        " JOIN annotators a ON a.id = p.annotator_id JOIN responses r ON r.id = p.response_id"
        " JOIN reviews w ON w.response_id = p.response_id AND w.codebook_id = p.codebook_id"
        " AND w.annotator_id = p.annotator_id"
        " WHERE p.codebook_id = ?1 AND (?2 IS NULL OR p.annotator_id = ?2) AND r.superseded_at IS NULL"
        " GROUP BY k.id, a.id ORDER BY k.id, a.id"
    )
    return [
        TagUse(from_storage(tag) or "", from_storage(annotator) or "", items, first)
        for tag, annotator, items, first in connection.execute(sql, (codebook_id, annotator_id))
    ]


def carrying_items(connection: sqlite3.Connection, codebook_id: int, annotator_id: int | None = None) -> dict[str, int]:
    """Count the live items on which somebody, or one annotator, put each tag, by the tag that they count as.

    An item that several put it on counts once.
    """
    sql = (
        "SELECT k.name, count(DISTINCT p.response_id) FROM counted_tags p JOIN tags k ON k.id = p.tag_id"
        " JOIN responses r ON r.id = p.response_id WHERE p.codebook_id = ?1 AND (?2 IS NULL OR p.annotator_id = ?2)"
        " AND r.superseded_at IS NULL GROUP BY k.id"
    )
    return {from_storage(tag) or "": items for tag, items in connection.execute(sql, (codebook_id, annotator_id))}
