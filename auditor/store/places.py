"""Where annotators put bookmarks and memos: rows out for lists, exports and the way to the next one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditor.model import join_key
from auditor.store.filter import ITEMS
from auditor.store.history import Actor
from auditor.store.tag_records import live_rows
from auditor.text import from_storage

ITEM = "item"
"""The place of a bookmark: the item as a whole."""


class PlaceRecord(NamedTuple):
    """A bookmark or a memo of an annotator."""

    item: str
    study: str
    case: str
    arm: str
    setting: str
    sample: int
    annotator: str
    kind: str
    codebook: str
    place: str
    """`item` = a bookmark; `line` or `difference` = a memo there."""
    number: int | None
    """Of the line or the difference, counted from 1."""
    quote: str
    """The beginning of what stood there when the memo was pinned."""
    text: str
    at: str
    """When it was put or written last."""
    revision: int
    """Of the codebook, at that time."""
    blind: bool
    """Whether a blind review hid what it hides at that time."""


_PLACES = (
    f"{ITEMS} JOIN (SELECT response_id, codebook_id, annotator_id, 'item' AS place, NULL AS number, '' AS quote,"
    " '' AS text, event_id FROM bookmarks UNION ALL SELECT response_id, codebook_id, annotator_id, place, number,"
    " quote, text, event_id FROM memos) pl ON pl.response_id = r.id JOIN annotators an ON an.id = pl.annotator_id"
    " JOIN codebooks cb ON cb.id = pl.codebook_id JOIN events ev ON ev.id = pl.event_id"
)


def iterate_places(
    connection: sqlite3.Connection, where: str = "", annotators: Sequence[str] = ()
) -> Iterator[PlaceRecord]:
    """Read bookmarks and memos on the live responses that a filter leaves, in the order of the names and places."""
    chosen = live_rows(connection, where, annotators)
    sql = (
        "SELECT s.name, c.name, t.arm, g.name, an.name, cb.name, pl.quote, pl.text, r.sample, an.kind, pl.place,"
        f" pl.number, ev.at, ev.revision, ev.blind FROM {_PLACES} WHERE {chosen.text} ORDER BY s.name, c.name, t.arm,"
        " g.name, r.sample, an.name, cb.name, pl.place = 'difference', pl.place = 'line', pl.number"
    )
    for *texts, sample, kind, place, number, at, revision, blind in connection.execute(sql, chosen.params):
        study, case, arm, setting, annotator, book, quote, text = (from_storage(one) or "" for one in texts)
        item = join_key((study, case, arm, setting, sample))
        who = (annotator, kind, book)
        where_it_is = (place, number, quote, text)
        yield PlaceRecord(item, study, case, arm, setting, sample, *who, *where_it_is, at, revision, bool(blind))


def count_places(connection: sqlite3.Connection, where: str = "", annotators: Sequence[str] = ()) -> int:
    """Count what `iterate_places` reads."""
    chosen = live_rows(connection, where, annotators)
    return int(connection.execute(f"SELECT count(*) FROM {_PLACES} WHERE {chosen.text}", chosen.params).fetchone()[0])


def bookmarked_responses(connection: sqlite3.Connection, actor: Actor) -> set[int]:
    """Return the row ids of what an annotator has a bookmark on."""
    sql = "SELECT response_id FROM bookmarks WHERE annotator_id = ? AND codebook_id = ?"
    return {row for (row,) in connection.execute(sql, (actor.annotator_id, actor.book.id))}
