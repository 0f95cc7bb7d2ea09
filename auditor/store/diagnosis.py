"""What is known of (item, annotator, tag): reviews in whatever state, and those of content that was replaced."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditor.model import AnnotatorKind, ReviewState
from auditor.store.filter import LIVE, compile_filter
from auditor.store.outdated import JUDGED
from auditor.text import from_storage

_TOUCHED = (
    "(w.state <> 'not-reviewed' OR EXISTS (SELECT 1 FROM applied_tags p WHERE p.response_id = w.response_id"
    " AND p.codebook_id = w.codebook_id AND p.annotator_id = w.annotator_id))"
)
"""Whether a review `w` holds anything; one that was wholly taken back does not."""


class Annotator(NamedTuple):
    """Who did anything under a codebook."""

    id: int
    name: str
    kind: AnnotatorKind


class Review(NamedTuple):
    """What an annotator did with an item."""

    state: ReviewState
    at: str
    revision: int
    """Of the codebook, when the annotator judged the item last."""
    tags: frozenset[int]
    """Row ids of the tags that were put, as what they count as."""


class Item(NamedTuple):
    """A live response that somebody did anything with, now or before its content was replaced."""

    names: tuple[str, str, str, str]
    """Study, case, arm, setting."""
    sample: int
    reviews: dict[int, Review]
    """By annotator."""
    replaced: frozenset[int]
    """The annotators who did anything with an earlier content of the response."""


def codebook_annotators(connection: sqlite3.Connection, codebook_id: int, names: Sequence[str]) -> list[Annotator]:
    """List who did anything under a codebook, in the order in which they came; `names` = only these."""
    sql = (
        "SELECT a.id, a.name, a.kind FROM annotators a WHERE EXISTS (SELECT 1 FROM reviews w"
        f" WHERE w.annotator_id = a.id AND w.codebook_id = ? AND {_TOUCHED}) ORDER BY a.id"
    )
    found = [
        Annotator(row, from_storage(name) or "", AnnotatorKind(kind))
        for row, name, kind in connection.execute(sql, (codebook_id,))
    ]
    return [one for one in found if not names or one.name in names]


def diagnosed_items(
    connection: sqlite3.Connection, codebook_id: int, annotators: Sequence[Annotator], where: str
) -> Iterator[Item]:
    """Read the items of a filter with which any of these annotators did anything, in the order of the names."""
    who = tuple(one.id for one in annotators)
    marks = ", ".join("?" * len(who))
    replaced = _replaced(connection, codebook_id, who)
    condition = compile_filter(connection, where)
    sql = (
        f"SELECT r.id, s.name, c.name, t.arm, g.name, r.sample FROM {LIVE} WHERE r.superseded_at IS NULL"
        f" AND {condition.text} AND (EXISTS (SELECT 1 FROM reviews w WHERE w.response_id = r.id AND w.codebook_id = ?"
        f" AND w.annotator_id IN ({marks}) AND {_TOUCHED}) OR r.id IN (SELECT value FROM json_each(?)))"
        " ORDER BY s.name, c.name, t.arm, g.name, r.sample"
    )
    params = (*condition.params, codebook_id, *who, json.dumps(list(replaced)))
    for row, *texts, sample in connection.execute(sql, params):
        study, case, arm, setting = (from_storage(text) or "" for text in texts)
        reviews = _reviews(connection, codebook_id, row)
        yield Item((study, case, arm, setting), sample, reviews, frozenset(replaced.get(row, ())))


def _reviews(connection: sqlite3.Connection, codebook_id: int, response_id: int) -> dict[int, Review]:
    tags: dict[int, set[int]] = {}
    sql = "SELECT annotator_id, tag_id FROM counted_tags WHERE response_id = ? AND codebook_id = ?"
    for annotator, tag in connection.execute(sql, (response_id, codebook_id)):
        tags.setdefault(annotator, set()).add(tag)
    sql = (
        f"SELECT w.annotator_id, w.state, w.updated_at, {JUDGED} FROM reviews w"
        f" WHERE w.response_id = ? AND w.codebook_id = ? AND {_TOUCHED}"
    )
    return {
        annotator: Review(ReviewState(state), at, revision, frozenset(tags.get(annotator, ())))
        for annotator, state, at, revision in connection.execute(sql, (response_id, codebook_id))
    }


def _replaced(connection: sqlite3.Connection, codebook_id: int, who: Sequence[int]) -> dict[int, set[int]]:
    """Return by live response who of these did anything with an earlier content of the same key."""
    sql = (
        "SELECT live.id, w.annotator_id FROM responses old JOIN reviews w ON w.response_id = old.id"
        " JOIN tasks before ON before.id = old.task_id"
        " JOIN tasks t ON t.case_id = before.case_id AND t.arm = before.arm"
        " JOIN responses live ON live.task_id = t.id AND live.setting_id = old.setting_id"
        " AND live.sample = old.sample AND live.superseded_at IS NULL"
        f" WHERE old.superseded_at IS NOT NULL AND w.codebook_id = ? AND {_TOUCHED}"
        f" AND w.annotator_id IN ({', '.join('?' * len(who))})"
    )
    found: dict[int, set[int]] = {}
    for live, annotator in connection.execute(sql, (codebook_id, *who)):
        found.setdefault(live, set()).add(annotator)
    return found


def judged_revisions(connection: sqlite3.Connection, codebook_id: int) -> list[tuple[str, int, int]]:
    """Count live reviewed items by annotator and by the revision under which they were judged last."""
    sql = (
        f"SELECT a.name, {JUDGED} AS judged, count(*) FROM reviews w JOIN annotators a ON a.id = w.annotator_id"
        " JOIN responses r ON r.id = w.response_id WHERE w.codebook_id = ? AND w.state = 'reviewed'"
        " AND r.superseded_at IS NULL GROUP BY a.id, judged ORDER BY a.id, judged"
    )
    rows = connection.execute(sql, (codebook_id,))
    return [(from_storage(name) or "", judged, reviews) for name, judged, reviews in rows]
