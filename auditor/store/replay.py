"""The check of the current states against the history that they came from."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import chain, islice

from auditor.model import ReviewState
from auditor.store.changes import Memo, ReviewView, in_order
from auditor.store.decisions import all_rulings
from auditor.store.invalidations import all_validities, invalid_differences
from auditor.store.own_probes import all_probes
from auditor.store.reveals import ReviewKey, reveal_differences
from auditor.store.settling import EVENT_COLUMNS, EventRow, RulesByRevision, Settling
from auditor.text import from_storage, visible_line


def replay_differences(connection: sqlite3.Connection, limit: int = 20) -> list[str]:
    """Replay the whole history and say where the current states differ from it; empty when they agree."""
    settling = Settling(RulesByRevision(connection))
    rows = connection.execute(f"SELECT {EVENT_COLUMNS} FROM events e ORDER BY e.id")
    for _ in settling.take(map(EventRow._make, rows)):
        pass
    replayed, latest = settling.views, settling.latest
    stored = _stored_views(connection)
    found = list(islice(chain(reveal_differences(connection), invalid_differences(connection)), limit))
    for key in sorted(replayed.keys() | stored.keys()):
        view, event = stored.get(key, (ReviewView(), None))
        if view != replayed.get(key, ReviewView()) or event != latest.get(key):
            found.append(
                f"response {key[0]}, codebook {key[1]}, annotator {key[2]}: the history gives"
                f" {_describe(replayed.get(key, ReviewView()))}, the file holds {_describe(view)}"
            )
            if len(found) >= limit:
                break
    return found[:limit]


def _stored_views(connection: sqlite3.Connection) -> dict[ReviewKey, tuple[ReviewView, int | None]]:
    tags: dict[ReviewKey, list[str]] = {}
    sql = (
        "SELECT p.response_id, p.codebook_id, p.annotator_id, k.name FROM applied_tags p JOIN tags k ON k.id = p.tag_id"
    )
    for response, codebook, annotator, name in connection.execute(sql):
        tags.setdefault((response, codebook, annotator), []).append(from_storage(name) or "")
    bookmarks: set[ReviewKey] = set(connection.execute("SELECT response_id, codebook_id, annotator_id FROM bookmarks"))
    memos, rulings = _stored_memos(connection), all_rulings(connection)
    validities, probes = all_validities(connection), all_probes(connection)
    views: dict[ReviewKey, tuple[ReviewView, int | None]] = {}
    sql = (
        "SELECT w.response_id, w.codebook_id, w.annotator_id, w.state, w.note, w.updated_at, w.event_id, k.name"
        " FROM reviews w LEFT JOIN tags k ON k.id = w.first_cause_id"
    )
    for *names, state, note, at, event, first in connection.execute(sql):
        response, codebook, annotator = names
        key = (response, codebook, annotator)
        own = tuple(sorted(tags.pop(key, ())))
        marks = (
            key in bookmarks,
            memos.pop(key, ()),
            rulings.pop(key, ()),
            validities.pop(key, None),
            probes.pop(key, ()),
        )
        aside = (from_storage(first) or "", *marks)
        views[key] = (ReviewView(ReviewState(state), own, from_storage(note) or "", at, False, *aside), event)
        bookmarks.discard(key)
    for key in tags.keys() | bookmarks | memos.keys() | rulings.keys() | validities.keys() | probes.keys():
        own = tuple(sorted(tags.get(key, ())))
        texts, ruled = memos.get(key, ()), rulings.get(key, ())
        bare = ReviewView(tags=own, bookmarked=key in bookmarks, memos=texts, rulings=ruled)
        views[key] = (replace(bare, validity=validities.get(key), probes=probes.get(key, ())), None)
    return views


def _stored_memos(connection: sqlite3.Connection) -> dict[ReviewKey, tuple[Memo, ...]]:
    found: dict[ReviewKey, list[Memo]] = {}
    sql = "SELECT response_id, codebook_id, annotator_id, place, number, quote, text FROM memos"
    for response, codebook, annotator, place, number, quote, text in connection.execute(sql):
        memo = Memo(place, number, from_storage(quote) or "", from_storage(text) or "")
        found.setdefault((response, codebook, annotator), []).append(memo)
    return {key: in_order(memos) for key, memos in found.items()}


def _describe(view: ReviewView) -> str:
    if view == ReviewView():
        return "nothing"
    tags = ", ".join(map(visible_line, view.tags)) or "no tags"
    first = f", first {visible_line(view.first_cause)}" if view.first_cause else ""
    note = f", note {visible_line(view.note, 40)!r}" if view.note else ""
    aside = ", a bookmark" if view.bookmarked else ""
    memos = "".join(f", memo {memo.place} {memo.number} {visible_line(memo.text, 40)!r}" for memo in view.memos)
    rulings = "".join(f", {visible_line(one.tag)} decided {one.verdict}" for one in view.rulings)
    said = f", {view.validity.verdict} {visible_line(view.validity.reason, 40)!r}" if view.validity else ""
    probes = "".join(f", probe {visible_line(one.name, 60)}" for one in view.probes)
    return f"{view.state.value} with {tags}{first}{note}{aside}{memos}{rulings}{said}{probes}"
