"""Bringing annotations from elsewhere into an audit file: whose they are, on what, and what comes of it.

Everything happens inside the caller's transaction, with foreign keys off.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from auditor.formats.annotation_records import AnnotationSource, EventRecord, RevisionGraph, RevisionName
from auditor.store.changes import ReviewView
from auditor.store.decision_conflicts import decision_conflicts
from auditor.store.event_rows import Incoming, history_open, insert_events, renumber_revisions
from auditor.store.item_finder import Found, ItemFinder
from auditor.store.join_report import Conflict, JoinedAnnotator, JoinedCodebook, JoinReport, UnjoinedItem
from auditor.store.joined_assignments import join_assignments
from auditor.store.joined_people import People, Unclear, Wishes
from auditor.store.own_probes import written_twice
from auditor.store.revision_graphs import (
    ReadGraph,
    read_graph,
    renumbered,
    united,
    with_one_head,
    write_graph,
)
from auditor.store.settled_rows import SettledRows, begin_touched, touched_histories, view_of
from auditor.store.settling import EventRow
from auditor.text import from_storage, to_storage

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it, and how much there is."""
_EVERY = 2_000
"""Events between two words on how far it is."""


class ChoiceNeededError(Exception):
    """Something cannot be joined without somebody's choice."""

    def __init__(self, people: Sequence[Unclear] = (), codebooks: Sequence[tuple[str, tuple[str, ...]]] = ()) -> None:
        super().__init__()
        self.people = tuple(people)
        self.codebooks = tuple(codebooks)


class _Book(NamedTuple):
    """A codebook of the file after its histories were joined."""

    id: int
    numbers: dict[RevisionName, int]


def join_sources(
    connection: sqlite3.Connection,
    sources: Sequence[AnnotationSource],
    wishes: Wishes,
    progress: Progress | None = None,
) -> JoinReport:
    """Bring the annotations of other sources into an audit file.

    Raises ChoiceNeededError, before anything is written, where people or codebooks cannot be told apart or joined.
    """
    joining = _Joining(connection, sources, wishes, progress)
    with history_open(connection):
        joining.join_codebooks()
        joining.read()
        joining.write()
    return joining.report


class _Joining:
    """One merge: `join_codebooks`, then `read`, then `write`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        sources: Sequence[AnnotationSource],
        wishes: Wishes,
        progress: Progress | None,
    ) -> None:
        self.connection = connection
        self.sources = sources
        self.people = People(connection, sources, wishes)
        self.report = JoinReport()
        self._progress = progress
        self._books: dict[str, _Book] = {}
        self._known: dict[str, int] = {}
        """For each UUID in which sources it is, a bit each; the lowest says whether it is in the file itself."""
        self._fresh: dict[str, tuple[int, EventRecord]] = {}
        """Events that the file does not have, with the first source that has them."""
        self._contents: dict[str, list[bytes]] = {}
        """Further hashes of the contents of an event's item, where sources differ on them."""
        self._items: dict[tuple[int, int], tuple[str, str]] = {}
        """Names of annotator and item, by the row ids of what is touched."""

    # --- codebooks -------------------------------------------------------------------------------------------------

    def join_codebooks(self) -> None:
        """Join the revisions of each codebook; raises ChoiceNeededError where two changes contradict."""
        rows = self.connection.execute("SELECT name, id FROM codebooks").fetchall()
        own = {from_storage(name) or "": (row, read_graph(self.connection, row)) for name, row in rows}
        others = [source.graphs() for source in self.sources]
        joined: dict[str, tuple[RevisionGraph, bool]] = {}
        refused: list[tuple[str, tuple[str, ...]]] = []
        for name in sorted({*own, *(name for graphs in others for name in graphs)}):
            graphs = [own[name][1].graph] if name in own else []
            graphs += [found[name] for found in others if name in found]
            headed = with_one_head(name, united(graphs))
            if headed.conflicts:
                refused.append((name, headed.conflicts))
            joined[name] = (headed.graph, headed.joined)
        if refused:
            raise ChoiceNeededError(codebooks=refused)
        for name, (graph, made) in joined.items():
            row, before = own.get(name, (0, ReadGraph({}, {})))
            numbers = write_graph(self.connection, name, graph)
            renumber_revisions(self.connection, row, renumbered(before, numbers))
            sql = "SELECT id FROM codebooks WHERE name = ?"
            (row,) = self.connection.execute(sql, (to_storage(name),)).fetchone()
            self._books[name] = _Book(row, numbers)
            fresh = len(graph) - len(before.graph)
            if fresh:
                self.report.codebooks.append(JoinedCodebook(name, fresh, max(numbers.values()), made))

    # --- reading ---------------------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the events of all sources; raises ChoiceNeededError when it is not clear whose some are."""
        owners = dict(self.connection.execute("SELECT uuid, annotator_id FROM events"))
        self._known = dict.fromkeys(owners, 1)
        total, done = sum(source.total for source in self.sources), 0
        for number, source in enumerate(self.sources):
            known = 0
            for record in source.events():
                owner = owners.get(record.uuid)
                self._known[record.uuid] = self._known.get(record.uuid, 0) | 2 << number
                if owner is not None:
                    known += 1
                    self.people.met(number, record.annotator, owner)
                elif record.uuid in self._fresh:
                    first, there = self._fresh[record.uuid]
                    # Cases that were replaced since: one of the two says what they are here.
                    if there.content != record.content:
                        self._contents.setdefault(record.uuid, []).append(record.content)
                    known += first != number
                    self.people.met_in(number, record.annotator, self._whose(record.uuid))
                else:
                    self._fresh[record.uuid] = (number, record)
                done += 1
                self._tell("reading events", done, total)
            self.report.known[source.label] = known
        self.people.resolve({(number, record.annotator) for number, record in self._fresh.values()})
        if self.people.unclear:
            raise ChoiceNeededError(people=self.people.unclear)

    def _whose(self, uuid: str) -> tuple[int, str]:
        number, record = self._fresh[uuid]
        return number, record.annotator

    # --- writing ---------------------------------------------------------------------------------------------------

    def write(self) -> None:
        """Write what is new, and what it makes of the current states."""
        finder = ItemFinder(self.connection)
        incoming: dict[int, list[Incoming]] = {}
        counts: Counter[tuple[int, str]] = Counter()
        unjoined: Counter[tuple[int, str, str]] = Counter()
        for number, record in self._fresh.values():
            found = self._find(finder, record)
            if found.response_id is None:
                unjoined[number, str(record.item), found.reason] += 1
                continue
            self.report.on_replaced += found.replaced
            name = self.people.name(number, record.annotator)
            annotator = self.people.row(name)
            self._items[annotator, found.response_id] = (name, str(record.item))
            book = self._books[record.codebook]
            revision = record.revision if isinstance(record.revision, int) else book.numbers[record.revision]
            record = record._replace(change=self.people.renamed_marks(number, record.change))
            one = Incoming(record, annotator, found.response_id, book.id, revision)
            incoming.setdefault(annotator, []).append(one)
            counts[number, record.annotator] += 1
        begin_touched(self.connection)
        done, total = 0, sum(map(len, incoming.values()))
        for annotator, events in incoming.items():
            insert_events(self.connection, annotator, events)
            done += len(events)
            self._tell("writing events", done, total, often=True)
        self._report(counts, unjoined)
        self._settle()
        self.connection.execute("DROP TABLE touched")
        for number, source in enumerate(self.sources):
            for told in join_assignments(self.connection, source.assignments(), partial(self._row, number)):
                self.report.notes.append(told.words)
                self.report.assignments += told.changed

    def _find(self, finder: ItemFinder, record: EventRecord) -> Found:
        found = finder.find(record.item, record.content)
        for content in self._contents.get(record.uuid, ()):
            if found.response_id is None:
                found = finder.find(record.item, content)
        return found

    def _row(self, source: int, annotator: str) -> int:
        return self.people.row(self.people.name(source, annotator))

    def _report(self, counts: Counter[tuple[int, str]], unjoined: Counter[tuple[int, str, str]]) -> None:
        for (source, annotator), number in sorted(counts.items()):
            becomes = self.people.name(source, annotator)
            kind = self.people.kind(source, annotator)
            label = self.sources[source].label
            self.report.annotators.append(
                JoinedAnnotator(label, annotator, becomes, kind, number, self.people.is_new(becomes))
            )
        for (source, item, reason), number in sorted(unjoined.items()):
            self.report.unjoined.append(UnjoinedItem(self.sources[source].label, item, reason, number))

    def _settle(self) -> None:
        """Write the current states of what was touched, and say where two histories of one person differ."""
        rows = SettledRows(self.connection)
        (total,) = self.connection.execute("SELECT count(*) FROM touched").fetchone()
        for done, history in enumerate(touched_histories(self.connection), 1):
            result = rows.settle([event for event, _ in history])
            for number in range(len(self.sources)):
                self._compare(number, history, result, rows)
            self._tell("working out the reviews", done, total)
        rows.write()
        self.report.decisions += decision_conflicts(self.connection)
        self.report.notes += written_twice(self.connection)

    def _compare(
        self, source: int, history: Sequence[tuple[EventRow, str]], result: dict[int, ReviewView], rows: SettledRows
    ) -> None:
        """Note a conflict where both sides went on with one person's work on one item."""
        in_source = [bool(self._known.get(uuid, 0) & 2 << source) for _, uuid in history]
        in_file = [bool(self._known.get(uuid, 0) & 1) for _, uuid in history]
        fresh = [there and not here for here, there in zip(in_file, in_source, strict=True)]
        if not any(fresh):
            return
        if all(in_source):
            # Somewhere the two were put together already, as git does with a folder: the other side is what is new
            # and what that was written after.
            in_source = _with_ancestors([event for event, _ in history], fresh)
            if all(in_source):
                return
        here = view_of([event for (event, _), one in zip(history, in_file, strict=True) if one], rows.rules)
        there = view_of([event for (event, _), one in zip(history, in_source, strict=True) if one], rows.rules)
        first = history[0][0]
        annotator, item = self._names(first.annotator_id, first.response_id)
        for book in sorted(here.keys() & there.keys()):
            if _outcome(here[book]) != _outcome(there[book]):
                name = next(name for name, one in self._books.items() if one.id == book)
                about = (self.sources[source].label, item, annotator, name)
                self.report.conflicts.append(Conflict(*about, here[book], there[book], result[book]))

    def _names(self, annotator_id: int, response_id: int) -> tuple[str, str]:
        return self._items[annotator_id, response_id]

    def _tell(self, what: str, done: int, total: int, *, often: bool = False) -> None:
        if self._progress and (often or done % _EVERY == 0 or done == total):
            self._progress(what, done, total)


def _with_ancestors(events: Sequence[EventRow], chosen: Sequence[bool]) -> list[bool]:
    """Choose, beside some events of a history, all those that they were written after."""
    follows = {event.id: event.follows for event in events}
    found: set[int] = set()
    for event, one in zip(events, chosen, strict=True):
        at: int | None = event.id if one else None
        while at is not None and at not in found:
            found.add(at)
            at = follows.get(at)
    return [event.id in found for event in events]


def _outcome(view: ReviewView) -> tuple[object, ...]:
    """Return what somebody would see of a review."""
    return (view.state, view.tags, view.note, view.first_cause, view.bookmarked, view.memos, view.rulings, view.probes)
