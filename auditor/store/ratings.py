"""Reviewed items with their tags, as ratings: what agreement is measured on."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Sequence
from typing import NamedTuple

from auditor.model import AnnotatorKind
from auditor.store.invalidations import IS_INVALID
from auditor.text import from_storage, to_storage


class RatedItems(NamedTuple):
    """Parallel columns, one entry for each item that an annotator has reviewed; begun and deferred ones are none."""

    items: list[int]
    annotators: list[str]
    tags: list[frozenset[str]]
    clusters: list[int]


def reviewed_codebooks(connection: sqlite3.Connection) -> list[str]:
    """Return the names of the codebooks under which anything has been reviewed."""
    sql = (
        "SELECT b.name FROM codebooks b WHERE EXISTS (SELECT 1 FROM reviews w JOIN responses r ON r.id = w.response_id"
        " WHERE w.codebook_id = b.id AND w.state = 'reviewed' AND r.superseded_at IS NULL) ORDER BY b.id"
    )
    return [from_storage(name) or "" for (name,) in connection.execute(sql)]


def annotators_of_kind(connection: sqlite3.Connection, codebook: str, kind: AnnotatorKind | None) -> list[str]:
    """Return who has reviewed anything under a codebook: people, each once whatever passes they made, or everyone."""
    sql = (
        "SELECT a.name FROM annotators a WHERE (? IS NULL OR a.kind = ? AND a.pass_of IS NULL)"
        " AND EXISTS (SELECT 1 FROM reviews w JOIN codebooks b ON b.id = w.codebook_id"
        " WHERE w.annotator_id = a.id AND w.state = 'reviewed' AND b.name = ?) ORDER BY a.id"
    )
    return [from_storage(name) or "" for (name,) in connection.execute(sql, (kind, kind, to_storage(codebook)))]


def rated_items(
    connection: sqlite3.Connection, codebook: str, annotators: Sequence[str], among: Container[int] | None = None
) -> RatedItems:
    """Read what these annotators have reviewed under a codebook, in the order of import.

    `among` are the row ids of the responses that count; None = all that are not invalid.
    """
    wanted = set(annotators)
    names = {
        row: from_storage(name) or "" for row, name in connection.execute("SELECT id, name FROM annotators ORDER BY id")
    }
    tag_names = {row: from_storage(name) or "" for row, name in connection.execute("SELECT id, name FROM tags")}
    tags: dict[tuple[int, int], list[str]] = {}
    sql = (
        "SELECT p.response_id, p.annotator_id, p.tag_id FROM counted_tags p"
        " JOIN codebooks b ON b.id = p.codebook_id WHERE b.name = ?"
    )
    for response, annotator, tag in connection.execute(sql, (to_storage(codebook),)):
        tags.setdefault((response, annotator), []).append(tag_names[tag])
    found = RatedItems([], [], [], [])
    none: frozenset[str] = frozenset()
    counting = f"AND NOT {IS_INVALID}" if among is None else ""
    sql = (
        "SELECT w.response_id, w.annotator_id, t.cluster_id FROM reviews w JOIN responses r ON r.id = w.response_id"
        " JOIN tasks t ON t.id = r.task_id JOIN codebooks b ON b.id = w.codebook_id"
        f" WHERE b.name = ? AND w.state = 'reviewed' AND r.superseded_at IS NULL {counting}"
        " ORDER BY w.response_id, w.annotator_id"
    )
    for response, annotator, cluster in connection.execute(sql, (to_storage(codebook),)):
        if names[annotator] not in wanted or (among is not None and response not in among):
            continue
        found.items.append(response)
        found.annotators.append(names[annotator])
        found.tags.append(frozenset(tags[response, annotator]) if (response, annotator) in tags else none)
        found.clusters.append(cluster)
    return found
