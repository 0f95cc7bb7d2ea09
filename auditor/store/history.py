"""The append-only history: one event a key press, undo and redo as further events, and the replay that checks it all.

Every function that writes expects to be inside the caller's transaction.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from auditor.errors import InputError
from auditor.model import ReviewState
from auditor.store.annotators import StoredCodebook
from auditor.store.outdated import needs_look
from auditor.store.reveals import REVEAL, is_revealed, record_reveal
from auditor.store.reviews import (
    Change,
    Intent,
    ItemIntent,
    MarkAll,
    MarkReviewed,
    NothingToTag,
    PutTags,
    Redo,
    Reveal,
    ReviewView,
    TagRules,
    Undo,
    decide,
)
from auditor.store.tasks import HASH_BYTES
from auditor.text import from_storage, to_storage, visible_line


@dataclass(frozen=True)
class Actor:
    """Who acts, under which codebook."""

    annotator_id: int
    book: StoredCodebook

    @cached_property
    def rules(self) -> TagRules:
        """What the codebook says of its tags."""
        return TagRules(self.book.codebook.replacements, self.book.codebook.counts_as)


class Recorded(NamedTuple):
    """What an action did."""

    response_id: int
    action: str
    """`undo` and `redo` too."""
    of: str
    """The action that an undo or a redo is about; else the same as `action`."""
    change: Change
    view: ReviewView
    """The review after it."""
    others: tuple[tuple[int, ReviewView], ...] = ()
    """The other items of an act on several, and their reviews after it."""


class EventHead(NamedTuple):
    """What undo and redo need to know of an event."""

    id: int
    action: str
    undoes: int | None


def uuid7() -> str:
    """Return a time-ordered UUID (RFC 9562, version 7)."""
    value = int.from_bytes(os.urandom(10), "big") | (time.time_ns() // 1_000_000) << 80
    value = value & ~(0xF << 76) | 0x7 << 76
    return str(UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


def evidence_hash(connection: sqlite3.Connection, response_id: int) -> bytes:
    """Hash the evidence for an item: the content of its task and of its response."""
    sql = "SELECT t.content_hash, r.content_hash FROM responses r JOIN tasks t ON t.id = r.task_id WHERE r.id = ?"
    task, response = connection.execute(sql, (response_id,)).fetchone()
    return hashlib.sha256(task + response).digest()[:HASH_BYTES]


def load_view(connection: sqlite3.Connection, actor: Actor, response_id: int) -> ReviewView:
    """Read one annotator's work on one item."""
    key = (response_id, actor.book.id, actor.annotator_id)
    where = "response_id = ? AND codebook_id = ? AND annotator_id = ?"
    row = connection.execute(f"SELECT state, note, updated_at FROM reviews WHERE {where}", key).fetchone()
    revealed = is_revealed(connection, response_id, actor.annotator_id)
    if row is None:
        return ReviewView(revealed=revealed)
    sql = (
        "SELECT k.name FROM applied_tags p JOIN tags k ON k.id = p.tag_id"
        " WHERE p.response_id = ? AND p.codebook_id = ? AND p.annotator_id = ?"
    )
    tags = tuple(sorted(from_storage(name) or "" for (name,) in connection.execute(sql, key)))
    return ReviewView(ReviewState(row[0]), tags, from_storage(row[1]) or "", row[2], revealed)


def act(
    connection: sqlite3.Connection,
    actor: Actor,
    response_id: int,
    intent: Intent,
    *,
    uuid: str,
    at: str,
    origin: str = "review",
    evidence: bytes | None = None,
    blind: bool = False,
) -> Recorded | None:
    """Append what an annotator did and update the current state; None when there was nothing to do.

    An event of this `uuid` that is there already is not recorded again. `blind` says that a blind review hid what it
    hides, unless the item was revealed. Raises InputError for an unknown tag.
    """
    done = connection.execute("SELECT response_id, action, change FROM events WHERE uuid = ?", (uuid,)).fetchone()
    if done is not None:
        view = load_view(connection, actor, done[0])
        return Recorded(done[0], done[1], done[1], Change.from_json(done[2]), view)
    if isinstance(intent, Undo | Redo):
        return _step_back_or_forth(connection, actor, intent, uuid, at, blind)
    if isinstance(intent, MarkAll):
        return _mark_all(connection, actor, intent, uuid, at, origin, blind)
    view = load_view(connection, actor, response_id)
    if isinstance(intent, Reveal):
        if view.revealed:
            return None
        evidence = evidence or evidence_hash(connection, response_id)
        _append(connection, actor, response_id, REVEAL, Change(), None, uuid, at, origin, evidence, blind)
        return Recorded(response_id, REVEAL, REVEAL, Change(), replace(view, revealed=True))
    action, change = _decide(actor, view, intent)
    if change.empty and not (origin != "import" and confirms(connection, actor, response_id, intent)):
        return None
    evidence = evidence or evidence_hash(connection, response_id)
    hidden = blind and not view.revealed
    _append(connection, actor, response_id, action, change, None, uuid, at, origin, evidence, hidden)
    return Recorded(response_id, action, action, change, change.apply(view, at))


def confirms(connection: sqlite3.Connection, actor: Actor, response_id: int, intent: ItemIntent) -> bool:
    """Say whether an action that changes nothing still says something: that outdated work is right as it stands."""
    says = isinstance(intent, MarkReviewed | NothingToTag | PutTags)
    return says and needs_look(connection, actor.annotator_id, actor.book.id, response_id)


def _decide(actor: Actor, view: ReviewView, intent: ItemIntent) -> tuple[str, Change]:
    try:
        return decide(view, intent, actor.rules)
    except KeyError as error:
        raise InputError(
            f"the codebook {visible_line(actor.book.codebook.name)} has no tag {visible_line(str(error.args[0]))!r}.",
            hint="Its tags: " + ", ".join(visible_line(tag.id) for tag in actor.book.codebook.active) + ".",
        ) from error


def _mark_all(
    connection: sqlite3.Connection, actor: Actor, intent: MarkAll, uuid: str, at: str, origin: str, blind: bool
) -> Recorded | None:
    """Append an event for each item that the act changes, all of one batch."""
    done: list[Recorded] = []
    for response_id in intent.response_ids:
        view = load_view(connection, actor, response_id)
        one = intent.for_one(view, actor.rules)
        if one is None:
            continue
        action, change = _decide(actor, view, one)
        evidence, hidden = evidence_hash(connection, response_id), blind and not view.revealed
        own = uuid7() if done else uuid
        _append(connection, actor, response_id, action, change, None, own, at, origin, evidence, hidden, uuid)
        done.append(Recorded(response_id, action, action, change, change.apply(view, at)))
    return as_one_act(done)


def as_one_act(done: Sequence[Recorded]) -> Recorded | None:
    """Return what was done to several items as one record; None for none."""
    if not done:
        return None
    return done[0]._replace(others=tuple((one.response_id, one.view) for one in done[1:]))


def _step_back_or_forth(
    connection: sqlite3.Connection, actor: Actor, intent: Undo | Redo, uuid: str, at: str, blind: bool
) -> Recorded | None:
    heads = own_events(connection, actor)
    target = undo_target(heads) if isinstance(intent, Undo) else redo_target(heads)
    if target is None:
        return None
    events = events_of_act(connection, target)
    batch = uuid if len(events) > 1 else None
    done: list[Recorded] = []
    for event_id in events:
        event = load_event(connection, event_id)
        wanted = event.change.inverse() if isinstance(intent, Undo) else event.change
        action = "undo" if isinstance(intent, Undo) else "redo"
        before = load_view(connection, actor, event.response_id)
        change = wanted.fitted(before, actor.rules)
        hidden = blind and not before.revealed
        about = (connection, actor, event.response_id, action, change, event_id)
        _append(*about, uuid7() if done else uuid, at, "review", event.evidence, hidden, batch)
        done.append(Recorded(event.response_id, action, event.action, change, change.apply(before, at)))
    return as_one_act(done)


def events_of_act(connection: sqlite3.Connection, event_id: int) -> list[int]:
    """Return the events that were made in one act with an event, itself among them, the first one first."""
    sql = (
        "SELECT id FROM events WHERE id = ?1 UNION"
        " SELECT id FROM events WHERE batch = (SELECT batch FROM events WHERE id = ?1) ORDER BY id"
    )
    return [row for (row,) in connection.execute(sql, (event_id,))]


class StoredEvent(NamedTuple):
    """One event of the history."""

    response_id: int
    action: str
    change: Change
    evidence: bytes


def load_event(connection: sqlite3.Connection, event_id: int) -> StoredEvent:
    """Read one event."""
    sql = "SELECT response_id, action, change, evidence_hash FROM events WHERE id = ?"
    response_id, action, change, evidence = connection.execute(sql, (event_id,)).fetchone()
    return StoredEvent(response_id, action, Change.from_json(change), evidence)


def own_events(connection: sqlite3.Connection, actor: Actor) -> Iterator[EventHead]:
    """Read what an annotator did on the review screen under a codebook and can undo, the newest first.

    Of an act on several items one event stands for all.
    """
    sql = (
        "SELECT id, action, undoes, batch FROM events WHERE annotator_id = ? AND codebook_id = ? AND origin = 'review'"
        f" AND action <> '{REVEAL}' ORDER BY id DESC"
    )
    last: str | None = None
    for event_id, action, undoes, batch in connection.execute(sql, (actor.annotator_id, actor.book.id)):
        if batch is None or batch != last:
            yield EventHead(event_id, action, undoes)
        last = batch


def undo_target(newest_first: Iterable[EventHead]) -> int | None:
    """Return the event that an undo reverts: the latest that is neither an undo nor undone."""
    skip = 0
    for event in newest_first:
        if event.action == "undo":
            skip += 1
        elif skip:
            skip -= 1
        else:
            return event.undoes if event.action == "redo" else event.id
    return None


def redo_target(newest_first: Iterable[EventHead]) -> int | None:
    """Return the event that a redo repeats: the latest undone one, unless something else was done since."""
    skip = 0
    for event in newest_first:
        if event.action == "redo":
            skip += 1
        elif event.action != "undo":
            return None
        elif skip:
            skip -= 1
        else:
            return event.undoes
    return None


def _append(
    connection: sqlite3.Connection,
    actor: Actor,
    response_id: int,
    action: str,
    change: Change,
    undoes: int | None,
    uuid: str,
    at: str,
    origin: str,
    evidence: bytes,
    blind: bool,
    batch: str | None = None,
) -> None:
    cursor = connection.execute(
        "INSERT INTO events (uuid, annotator_id, response_id, codebook_id, revision, action, change, undoes, origin,"
        " evidence_hash, at, blind, batch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            uuid,
            actor.annotator_id,
            response_id,
            actor.book.id,
            actor.book.revision,
            action,
            change.to_json(),
            undoes,
            origin,
            evidence,
            at,
            int(blind),
            batch,
        ),
    )
    assert cursor.lastrowid is not None
    if action == REVEAL:
        record_reveal(connection, (response_id, actor.book.id, actor.annotator_id), cursor.lastrowid)
    else:
        _update_state(connection, actor, response_id, change, at, cursor.lastrowid)


def _update_state(
    connection: sqlite3.Connection, actor: Actor, response_id: int, change: Change, at: str, event_id: int
) -> None:
    key = (response_id, actor.book.id, actor.annotator_id)
    connection.execute(
        "INSERT INTO reviews (response_id, codebook_id, annotator_id, state, note, updated_at, event_id)"
        " VALUES (?, ?, ?, 'not-reviewed', '', ?, ?)"
        " ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, event_id = excluded.event_id",
        (*key, at, event_id),
    )
    where = "response_id = ? AND codebook_id = ? AND annotator_id = ?"
    if change.state:
        connection.execute(f"UPDATE reviews SET state = ? WHERE {where}", (change.state[1], *key))
    if change.note:
        connection.execute(f"UPDATE reviews SET note = ? WHERE {where}", (to_storage(change.note[1]), *key))
    for tag in change.remove:
        connection.execute(f"DELETE FROM applied_tags WHERE {where} AND tag_id = ?", (*key, actor.book.tag_ids[tag]))
    for tag in change.add:
        connection.execute(
            "INSERT INTO applied_tags (response_id, codebook_id, annotator_id, tag_id, event_id)"
            " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET event_id = excluded.event_id",
            (*key, actor.book.tag_ids[tag], event_id),
        )
