"""Leases: who holds which items for a while, so that at most so many people review one. Every look-up is indexed.

An item is free for a person when it is live, they have neither reviewed nor deferred it, no other session of theirs
holds it, and fewer than `overlap` other people have reviewed it or hold it. A lease that has expired, or that was taken
at a time which the clock has not reached, holds nothing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from auditor.store.file import now, transaction
from auditor.text import from_storage

LEASE_SECONDS = 300.0
"""How long a lease lasts that nobody renews."""
CLOCK_SECONDS = 60.0
"""How far ahead of the clock a lease may have been taken. One from further ahead was taken before the clock was set
back, and holds nothing: else what a session held that has ended since would be nobody's for as long."""

_PERSON = "JOIN annotators a ON a.id = {0}.annotator_id AND a.kind = 'person' AND a.pass_of IS NULL"
_REVIEWED = (
    f"SELECT w.annotator_id FROM reviews w {_PERSON.format('w')} WHERE w.response_id = {{0}}"
    " AND w.codebook_id = :codebook AND w.state = 'reviewed' AND w.annotator_id <> :annotator"
)
"""Other people who have reviewed the item."""
_HOLDING = (
    f"SELECT l.annotator_id FROM leases l {_PERSON.format('l')} WHERE l.response_id = {{0}}"
    " AND l.codebook_id = :codebook AND l.expires_at > :at AND l.taken_at <= :soon AND l.annotator_id <> :annotator"
)
"""Other people who hold the item."""
_DONE = (
    "EXISTS (SELECT 1 FROM reviews o WHERE o.response_id = {0} AND o.codebook_id = :codebook"
    " AND o.annotator_id = :annotator AND o.state IN ('reviewed', 'deferred'))"
)
_ELSEWHERE = (
    "EXISTS (SELECT 1 FROM leases m WHERE m.response_id = {0} AND m.codebook_id = :codebook"
    " AND m.annotator_id = :annotator AND m.session <> :session AND m.expires_at > :at AND m.taken_at <= :soon)"
)
_FULL = f"(SELECT count(*) FROM ({_REVIEWED})) >= :overlap"
_TAKEN = f"({_ELSEWHERE} OR (SELECT count(*) FROM ({_REVIEWED} UNION {_HOLDING})) >= :overlap)"


_UNREVIEWED = (
    " AND NOT EXISTS (SELECT 1 FROM reviews v WHERE v.response_id = l.response_id"
    " AND v.codebook_id = l.codebook_id AND v.annotator_id = l.annotator_id AND v.state = 'reviewed')"
)
_HELD = (
    "SELECT l.response_id, a.name, l.expires_at FROM leases l JOIN annotators a ON a.id = l.annotator_id"
    f" WHERE l.expires_at > :at AND l.taken_at <= :soon{_UNREVIEWED}"
)


_STORED = "%Y-%m-%dT%H:%M:%fZ"
HELD_NOW = (
    f"l.expires_at > strftime('{_STORED}', 'now')"
    f" AND l.taken_at <= strftime('{_STORED}', 'now', '{CLOCK_SECONDS:+} seconds'){_UNREVIEWED}"
)
"""Whether the lease `l` holds something at this moment that its holder has not reviewed."""


class Claim(NamedTuple):
    """Who takes items, and how many people may have one."""

    annotator_id: int
    codebook_id: int
    session: str
    """Tells a program that takes items from every other one, of the same person too."""
    overlap: int
    """The most people who review an item."""


class Lease(NamedTuple):
    """One item that somebody holds."""

    response_id: int
    annotator: str
    expires_at: str


class Standing(NamedTuple):
    """What stands against somebody's reviewing an item within the overlap."""

    free: bool
    """Whether nothing does."""
    reviewers: int
    """Other people who have reviewed it."""
    holders: tuple[Lease, ...]
    """Leases of other people."""
    elsewhere: str | None
    """Until when another session of the same person holds it; None when none does."""


class Looked(NamedTuple):
    """What some items are for a person."""

    free: list[int]
    done: list[int]
    """What has as many reviews as are wanted, or was reviewed or deferred by this person: no lease that ends changes
    that. What is in neither list is held for now."""


def expiry(at: str, seconds: float) -> str:
    """Return the time so many seconds after another one, as stored."""
    later = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def look_at(connection: sqlite3.Connection, claim: Claim, response_ids: Sequence[int], at: str) -> Looked:
    """Say which of some items are free for a person, in the order given; nothing is taken."""
    sql = (
        f"SELECT j.value, CASE WHEN {_FULL.format('j.value')} OR {_DONE.format('j.value')} THEN 'done'"
        f" WHEN NOT {_TAKEN.format('j.value')} THEN 'free' END FROM json_each(:ids) j"
    )
    looked = Looked([], [])
    for response_id, found in connection.execute(sql, _params(claim, at, ids=json.dumps(list(response_ids)))):
        if found is not None:
            (looked.done if found == "done" else looked.free).append(response_id)
    return looked


def take_next(
    connection: sqlite3.Connection,
    claim: Claim,
    candidates: Iterable[int],
    count: int = 1,
    *,
    seconds: float = LEASE_SECONDS,
    at: str | None = None,
) -> list[int]:
    """Take the first free ones of some items in one transaction; return them. Expired leases are taken out.

    The lock is held while candidates are looked at: give few, which were free a moment ago.
    """
    with transaction(connection):
        moment = at or now()
        drop_expired(connection, moment)
        return take(connection, claim, candidates, count, moment, expiry(moment, seconds))


def take(
    connection: sqlite3.Connection, claim: Claim, candidates: Iterable[int], count: int, at: str, expires_at: str
) -> list[int]:
    """Take the first free ones of some items inside the caller's transaction, which began as a writing one."""
    # A row of the same person and item that is left is this session's, or has expired.
    sql = (
        "INSERT INTO leases (response_id, codebook_id, annotator_id, session, taken_at, expires_at)"
        " SELECT r.id, :codebook, :annotator, :session, :at, :expires FROM responses r WHERE r.id = :item"
        f" AND r.superseded_at IS NULL AND NOT {_DONE.format('r.id')} AND NOT {_TAKEN.format('r.id')}"
        " ON CONFLICT DO UPDATE SET session = excluded.session, taken_at = excluded.taken_at,"
        " expires_at = excluded.expires_at"
    )
    taken: list[int] = []
    for response_id in candidates:
        if len(taken) >= count:
            break
        if connection.execute(sql, _params(claim, at, item=response_id, expires=expires_at)).rowcount:
            taken.append(response_id)
    return taken


def renew(connection: sqlite3.Connection, session: str, at: str, expires_at: str) -> list[int]:
    """Let a session's leases last longer, inside the caller's transaction; return the items that it still holds.

    What has expired is lost, since somebody may have taken it meanwhile: it has to be taken again.
    """
    # What was taken before the clock was set back is held from now on, for everybody.
    sql = "UPDATE leases SET expires_at = ?1, taken_at = min(taken_at, ?2) WHERE session = ?3 AND expires_at > ?2"
    connection.execute(sql, (expires_at, at, session))
    sql = "SELECT response_id FROM leases WHERE session = ? AND expires_at > ?"
    return [row for (row,) in connection.execute(sql, (session, at))]


def release(connection: sqlite3.Connection, session: str, response_ids: Iterable[int] | None = None) -> None:
    """Give items of a session back, or all of them, inside the caller's transaction."""
    if response_ids is None:
        connection.execute("DELETE FROM leases WHERE session = ?", (session,))
        return
    sql = "DELETE FROM leases WHERE response_id = ? AND session = ?"
    connection.executemany(sql, [(response_id, session) for response_id in response_ids])


def drop_expired(connection: sqlite3.Connection, at: str) -> None:
    """Take out the leases that hold nothing any more, inside the caller's transaction."""
    sql = "DELETE FROM leases WHERE expires_at <= ?1 OR (expires_at > ?2 AND taken_at > ?2)"
    connection.execute(sql, (at, expiry(at, CLOCK_SECONDS)))


def standing(connection: sqlite3.Connection, claim: Claim, response_id: int, at: str) -> Standing:
    """Say what stands against a person's reviewing an item: who holds it, and how many have reviewed it."""
    params = _params(claim, at, item=response_id)
    sql = (
        f"SELECT {_TAKEN.format(':item')}, (SELECT count(*) FROM ({_REVIEWED.format(':item')})),"
        " (SELECT m.expires_at FROM leases m WHERE m.response_id = :item AND m.codebook_id = :codebook"
        " AND m.annotator_id = :annotator AND m.session <> :session AND m.expires_at > :at AND m.taken_at <= :soon)"
    )
    taken, reviewers, elsewhere = connection.execute(sql, params).fetchone()
    held = (
        f"{_HELD} AND l.response_id = :item AND l.codebook_id = :codebook AND l.annotator_id <> :annotator"
        " ORDER BY l.expires_at"
    )
    return Standing(not taken, reviewers, tuple(_leases(connection.execute(held, params))), elsewhere)


def leases_of_others(connection: sqlite3.Connection, claim: Claim, at: str) -> list[Lease]:
    """List what others than one session hold under a codebook: other people, and other sessions of the same person.

    An item that its holder has reviewed is not among them.
    """
    sql = f"{_HELD} AND l.codebook_id = :codebook AND l.session <> :session ORDER BY l.expires_at"
    return list(_leases(connection.execute(sql, _params(claim, at))))


class Holding(NamedTuple):
    """What one annotator holds under one codebook."""

    annotator: str
    codebook: str
    items: int
    until: str
    """When the last of it expires, unless it is renewed."""


def holdings(connection: sqlite3.Connection, at: str) -> list[Holding]:
    """Say who holds how many items until when; an item that its holder has reviewed is not counted."""
    sql = (
        "SELECT a.name, b.name, count(*), max(l.expires_at) FROM leases l JOIN annotators a ON a.id = l.annotator_id"
        f" JOIN codebooks b ON b.id = l.codebook_id WHERE l.expires_at > :at AND l.taken_at <= :soon{_UNREVIEWED}"
        " GROUP BY a.id, b.id ORDER BY a.id, b.id"
    )
    found = connection.execute(sql, {"at": at, "soon": expiry(at, CLOCK_SECONDS)})
    return [Holding(from_storage(who) or "", from_storage(book) or "", *rest) for who, book, *rest in found]


def _leases(rows: Iterable[tuple[int, str, str]]) -> Iterable[Lease]:
    return (Lease(response_id, from_storage(name) or "", until) for response_id, name, until in rows)


def _params(claim: Claim, at: str, **others: int | str) -> dict[str, int | str]:
    annotator, codebook, session, overlap = claim
    return {
        "annotator": annotator,
        "codebook": codebook,
        "session": session,
        "overlap": overlap,
        "at": at,
        "soon": expiry(at, CLOCK_SECONDS),
        **others,
    }
