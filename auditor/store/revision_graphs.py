"""The revisions of a codebook as what came after what, so that those of two files become one history.

A revision is known by its contents and by how often they had been there before, never by its number: the same text is
the same revision, whoever brought it in.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from auditor.codebook import dump_codebook
from auditor.codebook_joining import join_codebooks
from auditor.formats.annotation_records import OutdatedTag, Revision, RevisionGraph, RevisionName, one_revision
from auditor.store.annotators import parsed
from auditor.store.codebook_revisions import codebook_hash, count_as_newest
from auditor.store.json_column import dump_json, load_json
from auditor.text import from_storage, to_storage


class ReadGraph(NamedTuple):
    """The revisions of a codebook of an audit file, and under which numbers it has them."""

    graph: RevisionGraph
    numbers: dict[int, RevisionName]


def read_graph(connection: sqlite3.Connection, codebook_id: int) -> ReadGraph:
    """Read the revisions of a codebook."""
    sql = (
        "SELECT o.revision, k.name, o.reason, o.all_reviewed FROM outdated_tags o JOIN tags k ON k.id = o.tag_id"
        " WHERE k.codebook_id = ?"
    )
    outdated: dict[int, set[OutdatedTag]] = {}
    for revision, tag, reason, all_reviewed in connection.execute(sql, (codebook_id,)):
        one = OutdatedTag(from_storage(tag) or "", from_storage(reason) or "", bool(all_reviewed))
        outdated.setdefault(revision, set()).add(one)
    sql = (
        "SELECT v.revision, v.content_hash, v.text, v.created_at, coalesce(c.action, ''), coalesce(c.words, ''),"
        " v.follows FROM codebook_revisions v LEFT JOIN codebook_changes c USING (codebook_id, revision)"
        " WHERE v.codebook_id = ? ORDER BY v.revision"
    )
    graph: RevisionGraph = {}
    numbers: dict[int, RevisionName] = {}
    for revision, content, text, at, action, words, follows in connection.execute(sql, (codebook_id,)):
        name = fresh_name(graph, content.hex())
        numbers[revision] = name
        before = frozenset(numbers[number] for number in load_json(follows))
        about = (action, from_storage(words) or "", before, frozenset(outdated.get(revision, ())))
        graph[name] = Revision(from_storage(text) or "", at, *about)
    return ReadGraph(graph, numbers)


def fresh_name(graph: RevisionGraph, content: str) -> RevisionName:
    """Return the name of a further revision with some contents."""
    return RevisionName(content, 1 + sum(name.content == content for name in graph))


def united(graphs: Sequence[RevisionGraph]) -> RevisionGraph:
    """Return all revisions of several histories."""
    found: RevisionGraph = {}
    for graph in graphs:
        for name, one in graph.items():
            found[name] = one_revision(found[name], one) if name in found else one
    return found


def in_order(graph: RevisionGraph) -> list[RevisionName]:
    """Return the revisions, each after those that it came after, and else by time.

    Two files may have come from one text to the other and back; then the time alone decides.
    """
    waiting = {name: {*one.follows, *_earlier(graph, name)} & graph.keys() for name, one in graph.items()}
    children: dict[RevisionName, list[RevisionName]] = {}
    for name, before in waiting.items():
        for one in before:
            children.setdefault(one, []).append(name)
    ready = [(graph[name].at, name) for name, before in waiting.items() if not before]
    heapify(ready)
    found: list[RevisionName] = []
    while waiting:
        name = heappop(ready)[1] if ready else min(waiting, key=lambda name: (graph[name].at, name))
        if waiting.pop(name, None) is None:
            continue
        found.append(name)
        for child in children.get(name, ()):
            if child in waiting:
                waiting[child].discard(name)
                if not waiting[child]:
                    heappush(ready, (graph[child].at, child))
    return found


def _earlier(graph: RevisionGraph, name: RevisionName) -> set[RevisionName]:
    before = RevisionName(name.content, name.time - 1)
    return {before} if before in graph else set()


class Headed(NamedTuple):
    """A history with one newest revision, or why it has none."""

    graph: RevisionGraph
    conflicts: tuple[str, ...] = ()
    joined: bool = False
    """Whether a revision was made that holds several."""


def with_one_head(name: str, graph: RevisionGraph) -> Headed:
    """Return the history with a last revision that holds all newest ones of the codebook of this name."""
    order = in_order(graph)
    followed = {before for one in graph.values() for before in one.follows}
    followed |= {before for name in graph for before in _earlier(graph, name)}
    heads = [name for name in order if name not in followed]
    if len(heads) < 2:
        return Headed(graph)
    pasts = [_past(graph, head) for head in heads]
    book, known = parsed(graph[heads[0]].text, name), pasts[0]
    for head, past in zip(heads[1:], pasts[1:], strict=True):
        shared = [name for name in order if name in known & past]
        base = parsed(graph[shared[-1]].text, name) if shared else None
        joined = join_codebooks(base, book, parsed(graph[head].text, name))
        if joined.book is None:
            return Headed(graph, joined.conflicts)
        book, known = joined.book, known | past
    everywhere = frozenset[RevisionName](pasts[0]).intersection(*pasts[1:])
    outdated = frozenset(one for past in pasts for node in past - everywhere for one in graph[node].outdated)
    last = Revision(
        dump_codebook(book),
        max(graph[head].at for head in heads),
        "join",
        f"{len(heads)} histories of the codebook joined",
        frozenset(heads),
        outdated,
    )
    return Headed({**graph, fresh_name(graph, codebook_hash(book).hex()): last}, joined=True)


def _past(graph: RevisionGraph, head: RevisionName) -> set[RevisionName]:
    """Return a revision and all that came before it."""
    found: set[RevisionName] = set()
    waiting = [head]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += (graph[name].follows | _earlier(graph, name)) & graph.keys()
    return found


def write_graph(connection: sqlite3.Connection, name: str, graph: RevisionGraph) -> dict[RevisionName, int]:
    """Let the file hold these revisions of a codebook, inside the caller's transaction; return their numbers."""
    connection.execute("INSERT INTO codebooks (name) VALUES (?) ON CONFLICT DO NOTHING", (to_storage(name),))
    (row,) = connection.execute("SELECT id FROM codebooks WHERE name = ?", (to_storage(name),)).fetchone()
    numbers = {revision: number for number, revision in enumerate(in_order(graph), 1)}
    if read_graph(connection, row).graph == graph:
        return numbers
    connection.execute("DELETE FROM outdated_tags WHERE tag_id IN (SELECT id FROM tags WHERE codebook_id = ?)", (row,))
    for table in ("codebook_changes", "codebook_revisions"):
        connection.execute(f"DELETE FROM {table} WHERE codebook_id = ?", (row,))
    for revision, number in numbers.items():
        one = graph[revision]
        follows = dump_json(sorted(numbers[before] for before in one.follows))
        connection.execute(
            "INSERT INTO codebook_revisions (codebook_id, revision, content_hash, text, created_at, follows)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (row, number, bytes.fromhex(revision.content), to_storage(one.text), one.at, follows),
        )
        if one.action:
            sql = "INSERT INTO codebook_changes (codebook_id, revision, action, words) VALUES (?, ?, ?, ?)"
            connection.execute(sql, (row, number, one.action, to_storage(one.words)))
        connection.executemany(
            "INSERT INTO tags (codebook_id, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [(row, to_storage(id_)) for id_ in parsed(one.text, name).counts_as],
        )
    newest = max(numbers, key=lambda revision: numbers[revision])
    tag_ids = count_as_newest(connection, row, parsed(graph[newest].text, name)).tag_ids
    connection.executemany(
        "INSERT OR IGNORE INTO outdated_tags (tag_id, revision, reason, all_reviewed) VALUES (?, ?, ?, ?)",
        [
            (tag_ids[one.tag], number, to_storage(one.reason), one.all_reviewed)
            for revision, number in numbers.items()
            for one in sorted(graph[revision].outdated)
        ],
    )
    return numbers


def renumbered(before: ReadGraph, numbers: dict[RevisionName, int]) -> dict[int, int]:
    """Return the new numbers of the revisions whose number changed, by the old one."""
    return {old: numbers[name] for old, name in before.numbers.items() if numbers[name] != old}
