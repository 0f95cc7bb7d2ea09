"""The append-only history: one event a key press, undo and redo as further events, and the replay that checks it all.

Every function that writes expects to be inside the caller's transaction.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple
from uuid import UUID

from auditor.errors import InputError
from auditor.store.annotators import StoredCodebook
from auditor.store.codebook_revisions import codebook_hash
from auditor.store.decisions import after_others
from auditor.store.invalidations import after_other_words, is_overruled
from auditor.store.outdated import needs_look
from auditor.store.reveals import REVEAL, record_reveal
from auditor.store.review_rows import read_view, update_rows
from auditor.store.reviews import (
    ASIDES,
    Change,
    Decide,
    Intent,
    ItemIntent,
    MarkAll,
    MarkReviewed,
    NothingToTag,
    PutTags,
    Redo,
    Reveal,
    ReviewView,
    SetValidity,
    TagRules,
    Undo,
    decide,
)
from auditor.store.tasks import HASH_BYTES
from auditor.store.whole_characters import with_whole_characters
from auditor.text import visible_line


@dataclass(frozen=True)
class Actor:
    """Who acts, under which codebook."""

    annotator_id: int
    book: StoredCodebook

    @cached_property
    def content(self) -> bytes:
        """Hash of the codebook, by which its revision is known whatever number that has."""
        return codebook_hash(self.book.codebook)

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


def is_recorded(connection: sqlite3.Connection, uuid: str) -> bool:
    """Say whether an event is in the history."""
    return connection.execute("SELECT 1 FROM events WHERE uuid = ?", (uuid,)).fetchone() is not None


def load_view(connection: sqlite3.Connection, actor: Actor, response_id: int) -> ReviewView:
    """Read one annotator's work on one item."""
    return read_view(connection, (response_id, actor.book.id, actor.annotator_id))


def seconds_at(connection: sqlite3.Connection, actor: Actor, response_id: int) -> float | None:
    """Return how long an annotator was at an item in all, in seconds; None where no timer ran."""
    sql = "SELECT sum(seconds) FROM events WHERE response_id = ? AND annotator_id = ? AND codebook_id = ?"
    (seconds,) = connection.execute(sql, (response_id, actor.annotator_id, actor.book.id)).fetchone()
    return None if seconds is None else float(seconds)


def touching(action: str, at: str) -> str | None:
    """Return when an action touches the review; None for one beside it: a bookmark or a memo, or the undo of one."""
    return None if action in ASIDES else at


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
    seconds: float | None = None,
    waited: bool = False,
    batch: str | None = None,
) -> Recorded | None:
    """Append what an annotator did and update the current state; None when there was nothing to do.

    An event of this `uuid` that is there already is not recorded again. `blind` says that a blind review hid what it
    hides, unless the item was revealed; `seconds` how long the annotator was at the item, where a timer ran. What
    `waited` beside the file did something when it was done: it is an event also where the codebook left nothing to do
    since, so that an undo behind it takes back this and not what came before it. Acts of one `batch` are taken back
    together.
    Raises InputError for an unknown tag.
    """
    done = connection.execute("SELECT response_id, action, change FROM events WHERE uuid = ?", (uuid,)).fetchone()
    if done is not None:
        view = load_view(connection, actor, done[0])
        return Recorded(done[0], done[1], done[1], Change.from_json(done[2]), view)
    intent = with_whole_characters(intent)
    if isinstance(intent, Undo | Redo):
        return _step_back_or_forth(connection, actor, intent, uuid, at, blind)
    if isinstance(intent, MarkAll):
        return _mark_all(connection, actor, intent, uuid, at, origin, blind, waited=waited)
    view = load_view(connection, actor, response_id)
    if isinstance(intent, Reveal):
        if view.revealed:
            return None
        evidence = evidence or evidence_hash(connection, response_id)
        event = _Event(response_id, REVEAL, Change(), uuid, at, evidence, blind, origin)
        record_reveal(connection, (response_id, actor.book.id, actor.annotator_id), _insert(connection, actor, event))
        return Recorded(response_id, REVEAL, REVEAL, Change(), replace(view, revealed=True))
    if isinstance(intent, Decide):
        at = after_others(connection, (response_id, actor.book.id, actor.annotator_id), at)
    if isinstance(intent, SetValidity):
        key = (response_id, actor.book.id, actor.annotator_id)
        at = after_other_words(connection, key, at)
        if is_overruled(connection, key):
            # An undo of this then leaves the word of others, and not an older own one in its place.
            view = replace(view, validity=None)
    action, change = _decide(actor, view, intent)
    if change.empty and not (waited or (origin != "import" and confirms(connection, actor, response_id, intent))):
        return None
    evidence = evidence or evidence_hash(connection, response_id)
    hidden = blind and not view.revealed
    event = _Event(response_id, action, change, uuid, at, evidence, hidden, origin, batch=batch, seconds=seconds)
    return _append(connection, actor, event, action, view)


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
    connection: sqlite3.Connection,
    actor: Actor,
    intent: MarkAll,
    uuid: str,
    at: str,
    origin: str,
    blind: bool,
    *,
    waited: bool,
) -> Recorded | None:
    """Append an event for each item that the act changes, all of one batch.

    What `waited` and has nothing left to do is an event that changes nothing, on its first item.
    """
    done: list[Recorded] = []
    for response_id in intent.response_ids:
        view = load_view(connection, actor, response_id)
        one = intent.for_one(view, actor.rules)
        if one is None:
            continue
        action, change = _decide(actor, view, one)
        if change.empty and not confirms(connection, actor, response_id, one):
            continue
        evidence, hidden = evidence_hash(connection, response_id), blind and not view.revealed
        own = uuid7() if done else uuid
        made = _Event(response_id, action, change, own, at, evidence, hidden, origin, batch=uuid)
        done.append(_append(connection, actor, made, action, view))
    if waited and not done and intent.response_ids:
        first = intent.response_ids[0]
        view, evidence = load_view(connection, actor, first), evidence_hash(connection, first)
        hidden = blind and not view.revealed
        made = _Event(first, intent.action, Change(), uuid, at, evidence, hidden, origin, batch=uuid)
        return _append(connection, actor, made, intent.action, view)
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
    action: Literal["undo", "redo"] = "undo" if isinstance(intent, Undo) else "redo"
    return step(connection, lambda book: actor, target, action, uuid=uuid, at=at, blind=blind)


def step(
    connection: sqlite3.Connection,
    actor_under: Callable[[int], Actor],
    event_id: int,
    action: Literal["undo", "redo"],
    *,
    uuid: str,
    at: str,
    blind: bool = False,
    origin: str = "review",
) -> Recorded | None:
    """Take back the act that an event belongs to, or do it again; `actor_under` is who acts, by codebook's row id."""
    events = events_of_act(connection, event_id)
    batch = uuid if len(events) > 1 else None
    done: list[Recorded] = []
    for row in events:
        event = load_event(connection, row)
        actor = actor_under(event.codebook_id)
        wanted = event.change.inverse() if action == "undo" else event.change
        before = load_view(connection, actor, event.response_id)
        change = wanted.fitted(before, actor.rules)
        hidden = blind and not before.revealed
        about = (event.response_id, action, change, uuid7() if done else uuid, at, event.evidence, hidden, origin)
        made = _Event(*about, undoes=row, batch=batch)
        done.append(_append(connection, actor, made, event.action, before))
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
    codebook_id: int


def load_event(connection: sqlite3.Connection, event_id: int) -> StoredEvent:
    """Read one event."""
    sql = "SELECT response_id, action, change, evidence_hash, codebook_id FROM events WHERE id = ?"
    response_id, action, change, evidence, codebook_id = connection.execute(sql, (event_id,)).fetchone()
    return StoredEvent(response_id, action, Change.from_json(change), evidence, codebook_id)


def own_events(connection: sqlite3.Connection, actor: Actor) -> Iterator[EventHead]:
    """Read what an annotator did on the review screen under a codebook and can undo, the newest first.

    Of an act on several items its newest event stands for all, also where an undo or a redo names one of them.
    """
    sql = (
        "SELECT e.id, e.action, CASE WHEN t.batch IS NULL THEN e.undoes ELSE (SELECT max(b.id) FROM events b"
        " WHERE b.batch = t.batch) END, e.batch FROM events e LEFT JOIN events t ON t.id = e.undoes"
        " WHERE e.annotator_id = ? AND e.codebook_id = ? AND e.origin = 'review'"
        f" AND e.action <> '{REVEAL}' ORDER BY e.id DESC"
    )
    met: set[str] = set()
    for event_id, action, undoes, batch in connection.execute(sql, (actor.annotator_id, actor.book.id)):
        if batch is None or batch not in met:
            yield EventHead(event_id, action, undoes)
        if batch is not None:
            met.add(batch)


def undo_target(newest_first: Iterable[EventHead]) -> int | None:
    """Return the event that an undo reverts: what was done last, or done again last, and is not undone.

    Which event an undo belongs to is what it names: between the two may stand what was done on another computer.
    """
    settled: set[int] = set()
    for event in newest_first:
        if event.undoes is None:
            if event.id not in settled:
                return event.id
        elif event.undoes not in settled:
            settled.add(event.undoes)
            if event.action == "redo":
                return event.undoes
    return None


def redo_target(newest_first: Iterable[EventHead]) -> int | None:
    """Return the event that a redo repeats: the latest undone one, unless something else was done since."""
    settled: set[int] = set()
    for event in newest_first:
        if event.undoes is None:
            return None
        if event.undoes not in settled:
            settled.add(event.undoes)
            if event.action == "undo":
                return event.undoes
    return None


class _Event(NamedTuple):
    """An event that is being made."""

    response_id: int
    action: str
    change: Change
    uuid: str
    at: str
    evidence: bytes
    blind: bool
    origin: str = "review"
    undoes: int | None = None
    batch: str | None = None
    seconds: float | None = None


def _append(connection: sqlite3.Connection, actor: Actor, event: _Event, of: str, before: ReviewView) -> Recorded:
    """Keep an event and what it made of the review before it; `of` is the action that it does or takes back."""
    at = touching(of, event.at)
    event_id = _insert(connection, actor, event, aside=at is None)
    key = (event.response_id, actor.book.id, actor.annotator_id)
    update_rows(connection, key, event.change, actor.book.tag_ids, at, event_id)
    return Recorded(event.response_id, event.action, of, event.change, event.change.apply(before, at))


def _revision_now(connection: sqlite3.Connection, actor: Actor) -> int:
    """Return the number of the revision that the actor works under: a merge may have given it another one meanwhile."""
    sql = (
        "SELECT revision FROM codebook_revisions WHERE codebook_id = ? AND content_hash = ?"
        " ORDER BY revision = ? DESC, revision DESC LIMIT 1"
    )
    row = connection.execute(sql, (actor.book.id, actor.content, actor.book.revision)).fetchone()
    return actor.book.revision if row is None else int(row[0])


def _insert(connection: sqlite3.Connection, actor: Actor, event: _Event, *, aside: bool = False) -> int:
    cursor = connection.execute(
        "INSERT INTO events (uuid, annotator_id, response_id, codebook_id, revision, action, change, undoes, origin,"
        " evidence_hash, at, blind, batch, aside, seconds, follows) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " ?, (SELECT max(id) FROM events WHERE response_id = ? AND annotator_id = ?))",
        (
            event.uuid,
            actor.annotator_id,
            event.response_id,
            actor.book.id,
            _revision_now(connection, actor) if event.origin == "review" else actor.book.revision,
            event.action,
            event.change.to_json(),
            event.undoes,
            event.origin,
            event.evidence,
            event.at,
            int(event.blind),
            event.batch,
            int(aside),
            event.seconds,
            event.response_id,
            actor.annotator_id,
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid
