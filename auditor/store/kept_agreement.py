"""Kept counts of agreement: what every two annotators said of the items that both reviewed, tag by tag.

Triggers of the audit file keep them (see `db/migrations`); here they are read, and checked against a new count.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from itertools import combinations, groupby
from typing import NamedTuple

from auditor.store.invalidations import IS_INVALID
from auditor.text import from_storage, to_storage, visible_line


class TagCounts(NamedTuple):
    """To how many of the items that two annotators both reviewed a tag was given."""

    by_first: int
    by_second: int
    by_both: int


class PairCounts(NamedTuple):
    """What two annotators said of the items that both reviewed."""

    first: str
    second: str
    items: int
    tags: dict[str, TagCounts]
    """By tag id; a tag that neither gave to any of the items may be missing."""


def kept_counts(connection: sqlite3.Connection, codebook: str) -> list[PairCounts]:
    """Read the counts of every two annotators who have reviewed a common item under a codebook."""
    name = to_storage(codebook)
    sql = (
        "SELECT c.first_id, c.second_id, k.name, c.by_first, c.by_second, c.by_both FROM agreement_tags c"
        " JOIN tags k ON k.id = c.tag_id JOIN codebooks b ON b.id = c.codebook_id WHERE b.name = ?"
    )
    tags: dict[tuple[int, int], dict[str, TagCounts]] = {}
    for first, second, tag, *counts in connection.execute(sql, (name,)):
        tags.setdefault((first, second), {})[from_storage(tag) or ""] = TagCounts(*counts)
    sql = (
        "SELECT c.first_id, c.second_id, m.name, o.name, c.items FROM agreement_items c"
        " JOIN annotators m ON m.id = c.first_id JOIN annotators o ON o.id = c.second_id"
        " JOIN codebooks b ON b.id = c.codebook_id WHERE b.name = ? AND c.items > 0 ORDER BY c.first_id, c.second_id"
    )
    return [
        PairCounts(from_storage(one) or "", from_storage(other) or "", items, tags.get((first, second), {}))
        for first, second, one, other, items in connection.execute(sql, (name,))
    ]


def kept_differences(connection: sqlite3.Connection) -> list[str]:
    """Count everything anew and say where the kept counts differ; empty when they agree."""
    items, tags = _counted_anew(connection)
    kept_items = Counter(
        {tuple(key): count for *key, count in connection.execute("SELECT * FROM agreement_items") if count}
    )
    kept_tags = {
        tuple(row[:4]): TagCounts(*row[4:])
        for row in connection.execute("SELECT * FROM agreement_tags")
        if any(row[4:])
    }
    found = []
    for key in sorted(items.keys() | kept_items.keys()):
        if items[key] != kept_items[key]:
            found.append(f"{_pair(connection, key)}: {kept_items[key]:,} common items are kept, {items[key]:,} there")
    nothing = TagCounts(0, 0, 0)
    for key in sorted(tags.keys() | kept_tags.keys()):
        there, kept = tags.get(key, nothing), kept_tags.get(key, nothing)
        if there != kept:
            (tag,) = connection.execute("SELECT name FROM tags WHERE id = ?", (key[3],)).fetchone() or ("?",)
            shown = visible_line(from_storage(tag) or "")
            found.append(f"{_pair(connection, key)}: of {shown} are kept {tuple(kept)}, there {tuple(there)}")
    return found


Key = tuple[int, ...]
"""Codebook, first and second annotator, and tag where it is about one: row ids."""


def _counted_anew(connection: sqlite3.Connection) -> tuple[Counter[Key], dict[Key, TagCounts]]:
    sql = (
        "SELECT w.response_id, w.codebook_id, w.annotator_id, p.tag_id FROM reviews w"
        " JOIN responses r ON r.id = w.response_id LEFT JOIN counted_tags p ON p.response_id = w.response_id"
        " AND p.codebook_id = w.codebook_id AND p.annotator_id = w.annotator_id"
        f" WHERE w.state = 'reviewed' AND r.superseded_at IS NULL AND NOT {IS_INVALID}"
        " ORDER BY w.response_id, w.codebook_id, w.annotator_id"
    )
    items: Counter[Key] = Counter()
    tags: dict[Key, TagCounts] = {}
    for (_, codebook), rows in groupby(connection.execute(sql), key=lambda row: (row[0], row[1])):
        said: dict[int, set[int]] = {}
        for _, _, annotator, tag in rows:
            said.setdefault(annotator, set()).update(() if tag is None else (tag,))
        for first, second in combinations(said, 2):
            items[codebook, first, second] += 1
            for tag in said[first] | said[second]:
                key = (codebook, first, second, tag)
                by = tags.get(key, TagCounts(0, 0, 0))
                here, there = tag in said[first], tag in said[second]
                tags[key] = TagCounts(by.by_first + here, by.by_second + there, by.by_both + (here and there))
    return items, tags


def _pair(connection: sqlite3.Connection, key: Key) -> str:
    names = [
        visible_line(from_storage(name) or "")
        for row in key[1:3]
        for (name,) in connection.execute("SELECT name FROM annotators WHERE id = ?", (row,))
    ]
    return " and ".join(names)
