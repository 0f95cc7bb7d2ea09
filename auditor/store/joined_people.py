"""Who the annotators of other sources are in an audit file: never two people mixed, never one made two."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from auditor.formats.annotation_records import AnnotationSource
from auditor.model import AnnotatorKind, person_of_pass
from auditor.store.annotators import ensure_annotator
from auditor.store.changes import Change, Decided, Ruling
from auditor.store.file import file_id
from auditor.text import from_storage

SAME = "same"
"""The name is in both, and nothing says whether it is one person."""
KIND = "kind"
"""The name is a person's here and a program's there, or the other way round."""
TAKEN = "taken"
"""The name is somebody else's, here or in the source, or the file knows the annotator under another one."""


class Unclear(NamedTuple):
    """An annotator of a source of whom it is not clear who they are in the file."""

    source: str
    name: str
    problem: str


class Wishes(NamedTuple):
    """What somebody says of annotators that the files do not say."""

    same: Collection[str] = ()
    """Names that mean the same person everywhere."""
    renames: Mapping[tuple[str, str], str] = {}
    """New names, by the label of a source and the name there."""


class People:
    """Says for each annotator of each source who they are in the file.

    They are who their events are said to be of by the file, where it has some. A name that the file does not have is
    somebody new. A name that it has is the same person where both are copies of one audit; else somebody has to say.
    """

    def __init__(self, connection: sqlite3.Connection, sources: Sequence[AnnotationSource], wishes: Wishes) -> None:
        self._connection = connection
        self._sources = sources
        self._wishes = wishes
        rows = connection.execute("SELECT id, name, kind FROM annotators").fetchall()
        self._rows: dict[str, int] = {from_storage(name) or "": row for row, name, _ in rows}
        self._kinds = {from_storage(name) or "": AnnotatorKind(kind) for _, name, kind in rows}
        self._by_row = {row: name for name, row in self._rows.items()}
        own = file_id(connection)
        busy = {row for (row,) in connection.execute("SELECT DISTINCT annotator_id FROM events")}
        self._origins: dict[str, set[str | None]] = {
            name: {own} if row in busy else set() for name, row in self._rows.items()
        }
        """Where the work of each annotator of the file comes from; nowhere = there is none."""
        self._new: set[str] = set()
        self._kind_there = {
            (number, one.name): one.kind for number, source in enumerate(sources) for one in source.annotators()
        }
        self._names: dict[tuple[int, str], str] = {}
        self._links: dict[tuple[int, str], tuple[int, str]] = {}
        self.unclear: list[Unclear] = []

    def met(self, source: int, annotator: str, row: int) -> None:
        """Note that the file has an event of an annotator of a source, and as whose."""
        self._names.setdefault((source, annotator), self._by_row[row])

    def met_in(self, source: int, annotator: str, earlier: tuple[int, str]) -> None:
        """Note that an earlier source has an event of an annotator of a source, and as whose."""
        if earlier != (source, annotator):
            self._links.setdefault((source, annotator), earlier)

    def resolve(self, present: Collection[tuple[int, str]]) -> None:
        """Decide who everybody is whose events are new; `unclear` says of whom that is not clear."""
        for source, annotator in sorted(present, key=lambda one: (one[0], person_of_pass(one[1]) is not None, one[1])):
            problem = self._resolve(source, annotator)
            asked = {one.name for one in self.unclear if one.source == self._sources[source].label}
            if problem is not None and person_of_pass(annotator) not in asked:
                self.unclear.append(Unclear(self._sources[source].label, annotator, problem))

    def _resolve(self, source: int, annotator: str) -> str | None:
        """Give an annotator of a source a name in the file; return what is not clear."""
        label, kind = self._sources[source].label, self._kind_there[source, annotator]
        wanted = self._wishes.renames.get((label, annotator))
        named = self._names.get((source, annotator))
        if named is not None:
            return TAKEN if wanted not in (None, named) else None
        if (source, annotator) in self._links and wanted is None:
            self._names[source, annotator] = self._names.get(self._links[source, annotator], annotator)
            return None
        person = person_of_pass(annotator)
        told = {annotator, wanted} & {*self._wishes.same} or (person is not None and person in self._wishes.same)
        if wanted is None and person is not None and (source, person) in self._names:
            name = self._names[source, person] + annotator.removeprefix(person)
            told = told or self._names[source, person] not in self._new
        else:
            name = wanted or annotator
        shared = name in [is_called for (where, _), is_called in self._names.items() if where == source]
        self._names[source, annotator] = name
        if shared:
            return TAKEN
        if name not in self._kinds:
            self._kinds[name] = kind
            self._new.add(name)
        elif self._kinds[name] is not kind:
            return KIND
        elif self._origins[name] and not told:
            if wanted is not None:
                return TAKEN
            if self._sources[source].origin not in self._origins[name] - {None}:
                return SAME
        self._origins.setdefault(name, set()).add(self._sources[source].origin)
        return None

    def name(self, source: int, annotator: str) -> str:
        """Return the name that an annotator of a source has in the file; without new events it is their own."""
        return self._names.get((source, annotator), annotator)

    def renamed_marks(self, source: int, change: str) -> str:
        """Return a change in which the marks that were decided on are of annotators as they are called here."""
        names = {there: here for (number, there), here in self._names.items() if number == source and there != here}
        if not names or '"decided"' not in change:
            return change
        decided = Change.from_json(change)

        def renamed(ruling: Ruling | None) -> Ruling | None:
            marks = ruling and tuple(sorted((names.get(name, name), put) for name, put in ruling.marks))
            return ruling and ruling._replace(marks=marks or ())

        parts = (Decided(tag, renamed(before), renamed(after)) for tag, before, after in decided.decided)
        return replace(decided, decided=tuple(parts)).to_json()

    def kind(self, source: int, annotator: str) -> AnnotatorKind:
        """Return the kind of an annotator of a source."""
        return self._kind_there.get((source, annotator), AnnotatorKind.PERSON)

    def is_new(self, name: str) -> bool:
        """Say whether the file had nobody of that name."""
        return name in self._new

    def row(self, name: str) -> int:
        """Return the row id of an annotator, kept when they are new."""
        if name not in self._rows:
            kind = self._kinds.get(name, AnnotatorKind.PERSON)
            self._rows[name] = ensure_annotator(self._connection, name, kind)
        return self._rows[name]
