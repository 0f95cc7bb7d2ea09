"""What adjudicators decided, and how an item stands between its reviews and these decisions.

A decision is an event like any other mark: its change names tag, verdict, note and the marks it was made on by their
names, so that the event means the same in another file. A tag of an item may have been decided by several people, or
in two files that were merged since: the decision whose event is the latest holds, by time and then by UUID. The others
stay in the history, and hold again when it is undone.

That an item's reviews are all the same is never stored. It follows from them, so a changed review opens the item again.
Functions that write expect to be inside the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from auditor.store.changes import Decided, Ruling
from auditor.store.json_column import dump_json, load_json
from auditor.store.reveals import ReviewKey
from auditor.text import from_storage, to_storage

_KEY = "response_id = ? AND codebook_id = ? AND annotator_id = ?"
_COLUMNS = "k.name, d.verdict, d.note, d.marks"
_IDS_A_QUERY = 5_000


# --- rows that the history makes -----------------------------------------------------------------------------------


def read_rulings(connection: sqlite3.Connection, key: ReviewKey) -> tuple[Ruling, ...]:
    """Read what one adjudicator decided of one item, in the order of the tags."""
    sql = f"SELECT {_COLUMNS} FROM decisions d JOIN tags k ON k.id = d.tag_id WHERE d.{_KEY.replace('AND ', 'AND d.')}"
    return tuple(sorted(_ruling(row) for row in connection.execute(sql, key)))


def all_rulings(connection: sqlite3.Connection) -> dict[ReviewKey, tuple[Ruling, ...]]:
    """Read what everybody decided, by response, codebook and adjudicator."""
    found: dict[ReviewKey, list[Ruling]] = {}
    key = "d.response_id, d.codebook_id, d.annotator_id"
    sql = f"SELECT {key}, {_COLUMNS} FROM decisions d JOIN tags k ON k.id = d.tag_id"
    for response, codebook, annotator, *row in connection.execute(sql):
        found.setdefault((response, codebook, annotator), []).append(_ruling(row))
    return {key: tuple(sorted(rulings)) for key, rulings in found.items()}


def update_rulings(
    connection: sqlite3.Connection,
    key: ReviewKey,
    decided: Iterable[Decided],
    tag_ids: Mapping[str, int],
    event_id: int,
) -> None:
    """Apply what an event made of an adjudicator's rulings."""
    for tag, _, after in decided:
        connection.execute(f"DELETE FROM decisions WHERE {_KEY} AND tag_id = ?", (*key, tag_ids[tag]))
        if after is not None:
            connection.execute(
                "INSERT INTO decisions (response_id, codebook_id, annotator_id, tag_id, verdict, note, marks, event_id)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*key, tag_ids[tag], after.verdict, to_storage(after.note), dump_json(dict(after.marks)), event_id),
            )


def after_others(connection: sqlite3.Connection, key: ReviewKey, at: str) -> str:
    """Return when a decision on an item counts as made: now, but after those of others whose clocks are ahead."""
    response_id, codebook_id, annotator_id = key
    sql = (
        "SELECT max(e.at) FROM decisions d JOIN events e ON e.id = d.event_id"
        " WHERE d.response_id = ? AND d.codebook_id = ? AND d.annotator_id <> ?"
    )
    return just_after(connection.execute(sql, (response_id, codebook_id, annotator_id)).fetchone()[0], at)


def just_after(latest: str | None, at: str) -> str:
    """Return a time as it is, or the next millisecond after the latest one of others where it is not after that."""
    if latest is None or latest < at:
        return at
    try:
        following = datetime.fromisoformat(latest) + timedelta(milliseconds=1)
    except OverflowError:
        return str(latest)  # nothing is later; of two at one time the one that is made now has the later UUID
    return following.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _ruling(row: Sequence[str | bytes]) -> Ruling:
    tag, verdict, note, marks = row
    return Ruling(from_storage(tag) or "", str(verdict), from_storage(note) or "", _marks(str(marks)))


def _marks(text: str) -> tuple[tuple[str, bool], ...]:
    return tuple(sorted((name, bool(put)) for name, put in load_json(text).items()))


# --- how items stand -----------------------------------------------------------------------------------------------

OPEN, STALE, UNRESOLVED, ADJUDICATED, UNANIMOUS = "open", "stale", "unresolved", "adjudicated", "unanimous"
STATES = (OPEN, STALE, UNRESOLVED, ADJUDICATED, UNANIMOUS)
"""How an item stands that at least two people reviewed, or of which something is decided: the first that holds of one
of its tags. Open: they differ and nothing is decided. Stale: a mark has changed since it was decided. Unresolved: it
was decided to leave it open. Unanimous: all put the same tags, and nothing is decided."""
SINGLE = "single"
"""How an item stands that one person reviewed."""


class Voice(NamedTuple):
    """What one annotator said of an item that they reviewed."""

    annotator: str
    kind: str
    tags: frozenset[str]
    """Ids of what the tags count as."""
    note: str
    first_cause: str
    at: str


class Decision(NamedTuple):
    """The decision that holds for a tag of an item."""

    ruling: Ruling
    """With the tag by what it counts as."""
    adjudicator: str
    at: str
    revision: int
    """Of the codebook, when it was made."""


class Standing(NamedTuple):
    """An item's reviews, and the decisions that hold, by tag."""

    voices: tuple[Voice, ...]
    decisions: Mapping[str, Decision]

    def source(self, tag: str) -> str:
        """Say where a tag's value comes from: `unanimous`, `adjudicated`, `unresolved`, or `open` = it has none."""
        decision = self.decisions.get(tag)
        if decision is not None:
            return UNRESOLVED if decision.ruling.verdict == "unresolved" else ADJUDICATED
        return OPEN if len({tag in voice.tags for voice in self.voices}) > 1 else UNANIMOUS

    def marks(self, tag: str) -> tuple[tuple[str, bool], ...]:
        """Return who reviewed the item, in the order of the names, and whether they put a tag."""
        return tuple(sorted((voice.annotator, tag in voice.tags) for voice in self.voices))

    def is_stale(self, tag: str) -> bool:
        """Say whether the marks on a tag are no longer those that it was decided on."""
        decision = self.decisions.get(tag)
        return decision is not None and decision.ruling.marks != self.marks(tag)

    def tags(self) -> set[str]:
        """Return the tags that somebody put, or that something is decided of."""
        return set(self.decisions).union(*(voice.tags for voice in self.voices))

    @property
    def state(self) -> str | None:
        """Return one of STATES, `single`, or None where nobody reviewed the item and nothing is decided."""
        if len(self.voices) < 2 and not self.decisions:
            return SINGLE if self.voices else None
        tags = self.tags()
        sources = {self.source(tag) for tag in tags}
        if OPEN in sources:
            return OPEN
        if any(map(self.is_stale, tags)):
            return STALE
        return next((one for one in (UNRESOLVED, ADJUDICATED) if one in sources), UNANIMOUS)


def load_standings(
    connection: sqlite3.Connection,
    codebook_id: int,
    response_ids: Collection[int],
    among: Collection[str] | None = None,
    without: int | None = None,
) -> dict[int, Standing]:
    """Read how items stand under a codebook, by response id.

    `among` names the annotators who count; None = people in their first pass. Those that a decision on the item was
    made between count in any case. `without` is an adjudicator whose decisions are passed over.
    """
    found: dict[int, Standing] = {}
    all_ids = list(response_ids)
    for ids in (all_ids[start : start + _IDS_A_QUERY] for start in range(0, len(all_ids), _IDS_A_QUERY)):
        decisions = _decisions(connection, codebook_id, ids, without)
        voices = _voices(connection, codebook_id, ids)
        for response_id in ids:
            held = decisions.get(response_id, {})
            named = {name for decision in held.values() for name, _ in decision.ruling.marks}
            counting = (
                voice
                for voice, is_first_person in voices.get(response_id, ())
                if voice.annotator in named or (is_first_person if among is None else voice.annotator in among)
            )
            found[response_id] = Standing(tuple(counting), held)
    return found


def _voices(
    connection: sqlite3.Connection, codebook_id: int, response_ids: Sequence[int]
) -> dict[int, list[tuple[Voice, bool]]]:
    """Read the reviews of items, each with whether it is a person's first pass, in the order of the annotators."""
    marks = ", ".join("?" * len(response_ids))
    tags: dict[tuple[int, int], set[str]] = {}
    sql = (
        "SELECT p.response_id, p.annotator_id, k.name FROM counted_tags p JOIN tags k ON k.id = p.tag_id"
        f" WHERE p.codebook_id = ? AND p.response_id IN ({marks})"
    )
    for response_id, annotator_id, tag in connection.execute(sql, (codebook_id, *response_ids)):
        tags.setdefault((response_id, annotator_id), set()).add(from_storage(tag) or "")
    voices: dict[int, list[tuple[Voice, bool]]] = {}
    sql = (
        "SELECT w.response_id, a.id, a.name, a.kind, a.pass_of, w.note, c.name, w.updated_at FROM reviews w"
        " JOIN annotators a ON a.id = w.annotator_id LEFT JOIN tags f ON f.id = w.first_cause_id"
        " LEFT JOIN tags c ON c.id = coalesce(f.counts_as, f.id)"
        f" WHERE w.codebook_id = ? AND w.state = 'reviewed' AND w.response_id IN ({marks})"
        " ORDER BY w.response_id, a.id"
    )
    rows = connection.execute(sql, (codebook_id, *response_ids))
    for response_id, annotator_id, name, kind, pass_of, note, first, at in rows:
        own = frozenset(tags.get((response_id, annotator_id), ()))
        texts = (from_storage(note) or "", from_storage(first) or "")
        voice = Voice(from_storage(name) or "", kind, own, *texts, at)
        voices.setdefault(response_id, []).append((voice, kind == "person" and pass_of is None))
    return voices


def _decisions(
    connection: sqlite3.Connection, codebook_id: int, response_ids: Sequence[int], without: int | None
) -> dict[int, dict[str, Decision]]:
    """Read the decisions that hold, by response id and tag."""
    found: dict[int, dict[str, Decision]] = {}
    sql = (
        "SELECT d.response_id, k.name, d.verdict, d.note, d.marks, a.name, e.at, e.revision FROM decisions d"
        " JOIN tags p ON p.id = d.tag_id JOIN tags k ON k.id = coalesce(p.counts_as, p.id)"
        " JOIN annotators a ON a.id = d.annotator_id JOIN events e ON e.id = d.event_id"
        " WHERE d.codebook_id = ? AND d.annotator_id IS NOT ?"
        f" AND d.response_id IN ({', '.join('?' * len(response_ids))}) ORDER BY e.at, e.uuid"
    )
    for response_id, *row, adjudicator, at, revision in connection.execute(sql, (codebook_id, without, *response_ids)):
        decision = Decision(_ruling(row), from_storage(adjudicator) or "", at, revision)
        found.setdefault(response_id, {})[decision.ruling.tag] = decision
    return found


# --- all items -----------------------------------------------------------------------------------------------------


def item_states(
    connection: sqlite3.Connection, codebook_id: int, among: Collection[str] | None = None
) -> dict[int, tuple[str, int]]:
    """Return how each live item stands that at least one of the annotators reviewed, or of which something is decided.

    By response id: one of STATES or `single`, and the number of tags that the annotators differ on. `among` is that of
    `load_standings`.
    """
    who, params = _counting(among)
    sql = (
        f"SELECT w.response_id, count(*) FROM reviews w JOIN annotators a ON a.id = w.annotator_id AND {who}"
        " JOIN responses r ON r.id = w.response_id AND r.superseded_at IS NULL"
        " WHERE w.codebook_id = ? AND w.state = 'reviewed' GROUP BY w.response_id"
    )
    reviewers: dict[int, int] = dict(connection.execute(sql, (*params, codebook_id)))
    differing: dict[int, int] = {}
    sql = (
        "SELECT p.response_id, count(DISTINCT p.annotator_id) FROM counted_tags p"
        f" JOIN annotators a ON a.id = p.annotator_id AND {who}"
        " JOIN reviews w ON w.response_id = p.response_id AND w.codebook_id = p.codebook_id"
        " AND w.annotator_id = p.annotator_id AND w.state = 'reviewed'"
        " WHERE p.codebook_id = ? GROUP BY p.response_id, p.tag_id"
    )
    for response_id, count in connection.execute(sql, (*params, codebook_id)):
        if count < reviewers.get(response_id, 0):
            differing[response_id] = differing.get(response_id, 0) + 1
    states = {
        row: (SINGLE if count < 2 else OPEN if row in differing else UNANIMOUS, differing.get(row, 0))
        for row, count in reviewers.items()
    }
    sql = (
        "SELECT DISTINCT d.response_id FROM decisions d JOIN responses r ON r.id = d.response_id"
        " WHERE d.codebook_id = ? AND r.superseded_at IS NULL"
    )
    decided = [row for (row,) in connection.execute(sql, (codebook_id,))]
    for row, standing in load_standings(connection, codebook_id, decided, among).items():
        states[row] = (standing.state or OPEN, differing.get(row, 0))
    return states


def _counting(among: Collection[str] | None) -> tuple[str, tuple[str | bytes | None, ...]]:
    """Return the condition on annotators `a` who count."""
    if among is None:
        return "a.kind = 'person' AND a.pass_of IS NULL", ()
    return f"a.name IN ({', '.join('?' * len(among))})", tuple(map(to_storage, among))


def decided_codebooks(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    """Return the codebooks under which something is decided: row ids and names."""
    sql = "SELECT b.id, b.name FROM codebooks b WHERE EXISTS (SELECT 1 FROM decisions d WHERE d.codebook_id = b.id)"
    return [(row, from_storage(name) or "") for row, name in connection.execute(f"{sql} ORDER BY b.id")]


def judged_codebooks(connection: sqlite3.Connection) -> list[tuple[int, str]]:
    """Return the codebooks under which anything was reviewed or is decided: row ids and names."""
    sql = (
        "SELECT b.id, b.name FROM codebooks b WHERE EXISTS (SELECT 1 FROM reviews w WHERE w.codebook_id = b.id)"
        " OR EXISTS (SELECT 1 FROM decisions d WHERE d.codebook_id = b.id) ORDER BY b.id"
    )
    return [(row, from_storage(name) or "") for row, name in connection.execute(sql)]


def responses_in_state(connection: sqlite3.Connection, states: Collection[str]) -> Iterator[int]:
    """Yield the live responses that stand so under some codebook."""
    for codebook_id, _ in judged_codebooks(connection):
        for response_id, (state, _) in item_states(connection, codebook_id).items():
            if state in states:
                yield response_id


def states_of(connection: sqlite3.Connection, response_ids: Collection[int]) -> dict[int, list[str]]:
    """Return how some items stand, by response id: one state under each codebook that somebody reviewed them under."""
    found: dict[int, list[str]] = {}
    for codebook_id, _ in judged_codebooks(connection):
        for response_id, standing in load_standings(connection, codebook_id, response_ids).items():
            if standing.state is not None:
                found.setdefault(response_id, []).append(standing.state)
    return found
