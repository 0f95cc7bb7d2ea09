"""The check of the current states against the history that they came from."""

from __future__ import annotations

import sqlite3
from itertools import islice

from auditor.model import ReviewState
from auditor.store.reveals import REVEAL, reveal_differences
from auditor.store.reviews import Change, ReviewView
from auditor.text import from_storage, visible_line


def replay_differences(connection: sqlite3.Connection, limit: int = 20) -> list[str]:
    """Replay the whole history and say where the current states differ from it; empty when they agree."""
    replayed: dict[tuple[int, int, int], ReviewView] = {}
    latest: dict[tuple[int, int, int], int] = {}
    sql = (
        "SELECT id, response_id, codebook_id, annotator_id, change, at FROM events"
        f" WHERE action <> '{REVEAL}' ORDER BY id"
    )
    for event, *names, text, at in connection.execute(sql):
        response, codebook, annotator = names
        key = (response, codebook, annotator)
        replayed[key] = Change.from_json(text).apply(replayed.get(key, ReviewView()), at)
        latest[key] = event
    stored = _stored_views(connection)
    found = list(islice(reveal_differences(connection), limit))
    for key in sorted(replayed.keys() | stored.keys()):
        view, event = stored.get(key, (None, None))
        if view != replayed.get(key) or event != latest.get(key):
            found.append(
                f"response {key[0]}, codebook {key[1]}, annotator {key[2]}: the history gives"
                f" {_describe(replayed.get(key))}, the file holds {_describe(view)}"
            )
            if len(found) >= limit:
                break
    return found[:limit]


def _stored_views(connection: sqlite3.Connection) -> dict[tuple[int, int, int], tuple[ReviewView, int]]:
    tags: dict[tuple[int, int, int], list[str]] = {}
    sql = (
        "SELECT p.response_id, p.codebook_id, p.annotator_id, k.name FROM applied_tags p JOIN tags k ON k.id = p.tag_id"
    )
    for response, codebook, annotator, name in connection.execute(sql):
        tags.setdefault((response, codebook, annotator), []).append(from_storage(name) or "")
    views = {}
    sql = "SELECT response_id, codebook_id, annotator_id, state, note, updated_at, event_id FROM reviews"
    for response, codebook, annotator, state, note, at, event in connection.execute(sql):
        key = (response, codebook, annotator)
        names = tuple(sorted(tags.pop(key, ())))
        views[key] = (ReviewView(ReviewState(state), names, from_storage(note) or "", at), event)
    for key, names_left in tags.items():
        views[key] = (ReviewView(ReviewState.NOT_REVIEWED, tuple(sorted(names_left))), 0)
    return views


def _describe(view: ReviewView | None) -> str:
    if view is None:
        return "nothing"
    tags = ", ".join(map(visible_line, view.tags)) or "no tags"
    note = f", note {visible_line(view.note, 40)!r}" if view.note else ""
    return f"{view.state.value} with {tags}{note}"
