"""What annotators said, one row an (item, annotator, tag): rows out for lists and exports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditor.model import join_key
from auditor.store.filter import ITEMS, compile_filter
from auditor.store.reveals import BLIND, REVEALED
from auditor.store.sql import Sql
from auditor.text import from_storage, to_storage


class TagRecord(NamedTuple):
    """A tag on an item, or that an annotator reviewed the item and put none."""

    item: str
    study: str
    case: str
    arm: str
    setting: str
    sample: int
    annotator: str
    kind: str
    tag: str | None
    """The id of what the tag counts as; None = none, which says absent only when the state is `reviewed`."""
    note: str
    at: str
    """When the annotator last did something to the item."""
    revision: int
    """Of the codebook, at that time."""
    state: str
    codebook: str
    blind: bool
    """Whether all of the review was done while a blind review hid what it hides."""
    revealed: str | None
    """Whether the annotator had a blind item shown in full `before` or `after` the review was as it is; None = no."""
    first_cause: bool
    """Whether the annotator marked the tag as the one that came first and led to the others."""
    seconds: float | None
    """How long the annotator was at the item in all; None = no timer ran."""
    invalid: str | None
    """Why the prediction is invalid, so that the tag counts nowhere; None = it counts."""


_REVIEWS = (
    f"{ITEMS} JOIN reviews rv ON rv.response_id = r.id JOIN annotators an ON an.id = rv.annotator_id"
    " JOIN codebooks cb ON cb.id = rv.codebook_id JOIN events ev ON ev.id = rv.event_id"
)
_TAGS = (
    " LEFT JOIN (SELECT DISTINCT response_id, codebook_id, annotator_id, tag_id FROM counted_tags) ap"
    " ON ap.response_id = rv.response_id AND ap.codebook_id = rv.codebook_id"
    " AND ap.annotator_id = rv.annotator_id LEFT JOIN tags tg ON tg.id = ap.tag_id"
    " LEFT JOIN tags fc ON fc.id = rv.first_cause_id"
)
_SECONDS = (
    "(SELECT round(sum(tm.seconds), 3) FROM events tm WHERE tm.response_id = rv.response_id"
    " AND tm.annotator_id = rv.annotator_id AND tm.codebook_id = rv.codebook_id)"
)

_INVALID = (
    "(SELECT i.reason FROM invalid_items v JOIN invalidations i ON i.response_id = v.response_id"
    " AND i.event_id = v.event_id WHERE v.response_id = r.id)"
)


def used_codebooks(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the codebooks under which anybody has done anything."""
    sql = "SELECT name FROM codebooks b WHERE EXISTS (SELECT 1 FROM reviews w WHERE w.codebook_id = b.id) ORDER BY b.id"
    return [from_storage(name) or "" for (name,) in connection.execute(sql)]


def tag_names(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of the tags of all codebooks that the file holds, each once, in the order in which they came."""
    rows = connection.execute("SELECT name FROM tags GROUP BY name ORDER BY min(id)")
    return [from_storage(name) or "" for (name,) in rows]


def live_rows(connection: sqlite3.Connection, where: str, annotators: Sequence[str]) -> Sql:
    """Return the condition on responses (`r`) that a filter leaves, and on annotators (`an`); none given = all."""
    condition = compile_filter(connection, where, invalid_too=True)
    text, params = f"r.superseded_at IS NULL AND {condition.text}", condition.params
    if annotators:
        text += f" AND an.name IN ({', '.join('?' * len(annotators))})"
        params = (*params, *map(to_storage, annotators))
    return Sql(text, params)


def _chosen(connection: sqlite3.Connection, where: str, annotators: Sequence[str]) -> Sql:
    live = live_rows(connection, where, annotators)
    said = "(rv.state <> 'not-reviewed' OR rv.note <> '' OR tg.id IS NOT NULL)"
    return Sql(f"{said} AND {live.text}", live.params)


def iterate_tag_records(
    connection: sqlite3.Connection, where: str = "", annotators: Sequence[str] = ()
) -> Iterator[TagRecord]:
    """Read what annotators said of the live responses that a filter leaves, in the order of the names.

    An item that an annotator took back wholly (not reviewed, no tag, no note) is left out.
    """
    chosen = _chosen(connection, where, annotators)
    sql = (
        "SELECT s.name, c.name, t.arm, g.name, r.sample, an.name, an.kind, tg.name, rv.note, rv.updated_at,"
        f" ev.revision, rv.state, cb.name, {BLIND}, {REVEALED}, coalesce(tg.id = coalesce(fc.counts_as, fc.id), 0),"
        f" {_SECONDS}, {_INVALID} FROM {_REVIEWS}{_TAGS} WHERE {chosen.text}"
        " ORDER BY s.name, c.name, t.arm, g.name, r.sample, an.name, cb.name, tg.name"
    )
    rows = connection.execute(sql, chosen.params)
    for *names, sample, annotator, kind, tag, note, at, revision, state, book, blind, shown, first, spent, why in rows:
        study, case, arm, setting = (from_storage(name) or "" for name in names)
        yield TagRecord(
            join_key((study, case, arm, setting, sample)),
            study,
            case,
            arm,
            setting,
            sample,
            from_storage(annotator) or "",
            kind,
            from_storage(tag),
            from_storage(note) or "",
            at,
            revision,
            state,
            from_storage(book) or "",
            bool(blind),
            shown,
            bool(first),
            spent,
            from_storage(why),
        )


def count_tag_records(connection: sqlite3.Connection, where: str = "", annotators: Sequence[str] = ()) -> int:
    """Count what `iterate_tag_records` reads."""
    chosen = _chosen(connection, where, annotators)
    sql = f"SELECT count(*) FROM {_REVIEWS}{_TAGS} WHERE {chosen.text}"
    return int(connection.execute(sql, chosen.params).fetchone()[0])
