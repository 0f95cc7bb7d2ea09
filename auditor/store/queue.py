"""The review loop's reads: windows of the queue and whole items, each an indexed look-up."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.model import Grade, Response, ResponseKey, ReviewState, Status, Task
from auditor.store.grades import GRADE_COLUMNS, grade_from_row
from auditor.store.history import Actor, load_view
from auditor.store.invalidations import Invalid, why_invalid
from auditor.store.leases import Standing
from auditor.store.related import ArmResponse
from auditor.store.responses import RESPONSE_COLUMNS, RESPONSE_TABLES, key_from_row, response_from_row
from auditor.store.reviews import ReviewView
from auditor.store.tasks import HASH_BYTES, load_task, oracle_text
from auditor.text import from_storage, to_storage

_NO_REVIEW = ReviewView()


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Everything that one screen of the review shows."""

    index: int
    """Place in the queue; -1 when the item is outside it."""
    response_id: int
    key: ResponseKey
    task: Task
    response: Response
    grade: Grade | None
    review: ReviewView
    oracle_text: str | None
    """The oracle as text; JSON text for verdicts and probes."""
    evidence: bytes
    """Hash of the task's and the response's content."""
    policy: str = ""
    """The policy that its grade was made under; empty = it is not graded."""
    hidden: frozenset[str] = frozenset()
    """Names of the dimensions that a blind review left out of it; empty = it is whole."""
    arms: tuple[ArmResponse, ...] = ()
    """The arms of its case under its setting and sample, its own among them, as far as they may be shown."""
    invalid: Invalid | None = None
    """Why it counts nowhere; None where it counts."""
    standing: Standing | None = None
    """What stands against reviewing it where several people take items; None = nothing does."""


class RowData(NamedTuple):
    """What the queue shows of one response."""

    key: ResponseKey
    status: Status | None
    mode: str | None
    lines: int
    review: ReviewView


def load_item(
    connection: sqlite3.Connection, actor: Actor, response_id: int, index: int, review: ReviewView | None
) -> ReviewItem:
    """Read one item; `review` stands for the stored one where unsaved work changed it."""
    return load_evidence(connection, response_id, index, review or load_view(connection, actor, response_id))


def load_evidence(
    connection: sqlite3.Connection, response_id: int, index: int = -1, review: ReviewView = _NO_REVIEW
) -> ReviewItem:
    """Read what there is to see of one item; without a review nobody's marks are on it."""
    sql = (
        f"SELECT {RESPONSE_COLUMNS}, {GRADE_COLUMNS}, r.task_id, t.content_hash, r.content_hash, d.policy"
        f" FROM {RESPONSE_TABLES} LEFT JOIN grades d ON d.response_id = r.id WHERE r.id = ?"
    )
    row = connection.execute(sql, (response_id,)).fetchone()
    task_id, task_hash, response_hash, policy = row[15:]
    task = load_task(connection, task_id)
    response = response_from_row(row[:10])
    return ReviewItem(
        index=index,
        response_id=response_id,
        key=response.key,
        task=task,
        response=response,
        grade=grade_from_row(row[10:15]),
        review=review,
        oracle_text=oracle_text(task.target, task.oracle),
        evidence=hashlib.sha256(task_hash + response_hash).digest()[:HASH_BYTES],
        policy=policy or "",
        invalid=why_invalid(connection, response_id),
    )


def load_rows(connection: sqlite3.Connection, actor: Actor, response_ids: Sequence[int]) -> dict[int, RowData]:
    """Read what the queue shows of some responses, by row id."""
    marks = ", ".join("?" * len(response_ids))
    sql = (
        "SELECT r.id, s.name, c.name, t.arm, g.name, r.sample, d.status, d.mode, t.lines, w.state, m.event_id"
        f" FROM {RESPONSE_TABLES} LEFT JOIN grades d ON d.response_id = r.id"
        " LEFT JOIN reviews w ON w.response_id = r.id AND w.codebook_id = ?1 AND w.annotator_id = ?2"
        " LEFT JOIN bookmarks m ON m.response_id = r.id AND m.codebook_id = ?1 AND m.annotator_id = ?2"
        f" WHERE r.id IN ({marks})"
    )
    tags: dict[int, list[str]] = {}
    tag_sql = (
        "SELECT DISTINCT p.response_id, k.name FROM counted_tags p JOIN tags k ON k.id = p.tag_id"
        f" WHERE p.codebook_id = ? AND p.annotator_id = ? AND p.response_id IN ({marks})"
    )
    params = (actor.book.id, actor.annotator_id, *response_ids)
    for response_id, name in connection.execute(tag_sql, params):
        tags.setdefault(response_id, []).append(from_storage(name) or "")
    rows = {}
    for response_id, *names, status, mode, lines, state, bookmark in connection.execute(sql, params):
        own = tuple(sorted(tags.get(response_id, ())))
        review = ReviewView(ReviewState(state or "not-reviewed"), own, bookmarked=bookmark is not None)
        rows[response_id] = RowData(key_from_row(names), Status(status) if status else None, mode, lines, review)
    return rows


def annotator_states(connection: sqlite3.Connection, actor: Actor) -> dict[int, ReviewState]:
    """Return the states of all items that an annotator touched under a codebook, by response id."""
    sql = "SELECT response_id, state FROM reviews WHERE annotator_id = ? AND codebook_id = ?"
    return {row: ReviewState(state) for row, state in connection.execute(sql, (actor.annotator_id, actor.book.id))}


def last_reviewed_response(connection: sqlite3.Connection, actor: Actor) -> int | None:
    """Return the item that an annotator acted on last on the review screen."""
    sql = (
        "SELECT response_id FROM events WHERE annotator_id = ? AND codebook_id = ? AND origin = 'review'"
        " AND action <> 'decide' ORDER BY id DESC LIMIT 1"
    )
    row = connection.execute(sql, (actor.annotator_id, actor.book.id)).fetchone()
    return row[0] if row else None


def response_rows(connection: sqlite3.Connection) -> int:
    """Return the highest row id of a response, which is about how many there are; no row is looked at for it."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM responses").fetchone()[0])


def cases_beside(connection: sqlite3.Connection, name: str) -> tuple[str, ...]:
    """Return the cases before and behind a name in each study, in the order of their characters."""
    sql = (
        "SELECT (SELECT max(c.name) FROM cases c WHERE c.study_id = s.id AND c.name < ?1),"
        " (SELECT min(c.name) FROM cases c WHERE c.study_id = s.id AND c.name > ?1) FROM studies s"
    )
    found = connection.execute(sql, (to_storage(name),))
    return tuple(from_storage(one) or "" for row in found for one in row if one is not None)


def arm_names(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the arms of all tasks."""
    rows = connection.execute("SELECT DISTINCT arm FROM tasks ORDER BY arm")
    return tuple(from_storage(name) or "" for (name,) in rows)


def setting_names(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the names of all settings."""
    rows = connection.execute("SELECT name FROM settings ORDER BY name")
    return tuple(from_storage(name) or "" for (name,) in rows)
