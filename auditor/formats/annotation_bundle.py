"""The annotations bundle: a folder of JSON lines that is made to live in git and to merge there.

annotations.toml               the version of the format
studies.jsonl                  which cases were annotated
codebooks/BOOK/revisions.jsonl a line a revision; beside it each revision as YAML, named by its hash
annotators/NAME.jsonl          a line an event, sorted by UUID, so that what is new stands at the end
assignments.jsonl              whose which clusters are, and the items of samples

No line ever changes once it is written, so that git's union of the lines of two branches is what both said.
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from auditor.codebook import Codebook, dump_codebook, load_codebook
from auditor.errors import InputError
from auditor.formats.annotation_assignments import Draw, read_assignment
from auditor.formats.annotation_lines import is_conflict_marker, read_event, read_line, read_revision, tags_in
from auditor.formats.annotation_records import (
    AnnotatorRecord,
    AssignmentRecord,
    EventRecord,
    RevisionGraph,
    RevisionName,
    one_revision,
)
from auditor.formats.json_text import UnusableError
from auditor.formats.lines import numbered_lines, read_bytes
from auditor.model import AnnotatorKind, ResponseKey
from auditor.text import to_bytes, visible_line

T = TypeVar("T")
MANIFEST, STUDIES, ASSIGNMENTS, REVISIONS = "annotations.toml", "studies.jsonl", "assignments.jsonl", "revisions.jsonl"
ANNOTATORS, CODEBOOKS = "annotators", "codebooks"
FORMAT = 1
HASH_DIGITS = 32
_EVERY = 1_000
"""Lines between two words on how far the reading is."""
_UUID_FIRST = b'{"uuid": "'
"""How the line of an event begins."""
_SAFE = re.compile("[a-z0-9][a-z0-9_-]{0,59}")
_LIKE_HASHED = re.compile("-[0-9a-f]{8}$")
_RESERVED = re.compile("(con|prn|aux|nul|com[0-9]|lpt[0-9])")


def is_bundle(path: Path) -> bool:
    """Say whether a path is an annotations bundle."""
    return (path / MANIFEST).is_file()


def safe_name(name: str) -> str:
    """Return a file name for any name: the same on every disk, and different for names that differ only in case."""
    if _SAFE.fullmatch(name) and not _LIKE_HASHED.search(name) and not _RESERVED.fullmatch(name):
        return name
    plain = re.sub("[^a-z0-9_]+", "-", name.lower())[:40].strip("-")
    return f"{plain or 'x'}-{hashlib.sha256(to_bytes(name)).hexdigest()[:8]}"


class Bundle:
    """A bundle that was read and checked as a whole; see `AnnotationSource`."""

    origin: str | None = None

    def __init__(
        self,
        path: Path,
        dump: Callable[[Any], str],
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        """Read a bundle; `dump` writes an event's change as the history keeps it.

        Raises InputError with file and line for whatever is not as it must be.
        """
        self.path = path
        self.label = str(path)
        self._dump = dump
        self._progress = progress
        _check_manifest(path / MANIFEST)
        self._graphs: dict[str, RevisionGraph] = {}
        self._tags: dict[str, frozenset[str]] = {}
        for name, graph, tags in _codebooks(path):
            self._graphs[name], self._tags[name] = graph, tags
        self._people: dict[str, AnnotatorRecord] = {}
        self._events: dict[str, EventRecord] = {}
        self._again: list[EventRecord] = []
        self._read_annotators()
        self._check_links()
        self._studies = self._read_studies()
        self._assignments = self._read_assignments()

    @property
    def total(self) -> int:
        """Return how many events there are."""
        return len(self._events)

    def annotators(self) -> list[AnnotatorRecord]:
        """Return everybody who said anything or has items assigned."""
        return list(self._people.values())

    def graphs(self) -> dict[str, RevisionGraph]:
        """Return the revisions of the codebooks by name."""
        return self._graphs

    def events(self) -> Iterator[EventRecord]:
        """Yield the events, in no order; one that two lines place on other contents of its item comes twice."""
        yield from self._events.values()
        yield from self._again

    def assignments(self) -> list[AssignmentRecord]:
        """Return the assignments: of several under one codebook the one that was drawn last."""
        return self._assignments

    def studies(self) -> dict[str, set[str]]:
        """Return the hashes of the cases of each study that was annotated."""
        return self._studies

    # --- annotators ------------------------------------------------------------------------------------------------

    def _read_annotators(self) -> None:
        files = _annotator_files(self.path)
        total, done = sum(map(_size, files)), 0
        for path in files:
            early: list[tuple[str, dict[str, Any]]] = []
            people: set[AnnotatorRecord] = set()
            for number, (where, value, size) in enumerate(_sized(path)):
                done += size
                if "annotator" in value:
                    with _placed(where):
                        people.add(_person(value))
                elif people:
                    self._take(where, value, next(iter(people)))
                else:
                    early.append((where, value))
                if self._progress and number % _EVERY == 0:
                    self._progress("reading the bundle", done, total)
            if len(people) != 1:
                raise InputError('it needs one line {"annotator": NAME, "kind": KIND}.', where=visible_line(str(path)))
            (person,) = people
            if person.name in self._people:
                shown = visible_line(person.name, 60)
                raise InputError(f"the annotator {shown} has another file too.", where=visible_line(str(path)))
            self._people[person.name] = person
            for where, value in early:
                self._take(where, value, person)

    def _take(self, where: str, value: dict[str, Any], person: AnnotatorRecord) -> None:
        with _placed(where):
            self._keep(read_event(value, person.name, self._dump), value["change"])

    def _keep(self, event: EventRecord, change: Mapping[str, Any]) -> None:
        known = self._tags.get(event.codebook)
        if known is None:
            raise UnusableError(f"the bundle has no codebook {visible_line(event.codebook, 60)}.")
        unknown = tags_in(change) - known
        if unknown:
            shown = visible_line(min(unknown), 60)
            raise UnusableError(f"the codebook {visible_line(event.codebook)} never had a tag {shown!r}.")
        if isinstance(event.revision, RevisionName) and event.revision not in self._graphs[event.codebook]:
            raise UnusableError("the bundle does not have the revision of the codebook that it names.")
        first = self._events.setdefault(event.uuid, event)
        if first._replace(content=event.content) != event:
            raise UnusableError(f"the event {event.uuid} is there twice, with different contents.")
        if first != event:
            self._again.append(event)

    def _check_links(self) -> None:
        """Refuse events that name an event of somebody else, of another item, or that came after them."""
        settled: set[str] = set()
        for event in self._events.values():
            for named in (event.undoes, event.follows):
                other = self._events.get(named or "")
                if other is not None and (other.annotator, other.item) != (event.annotator, event.item):
                    raise self._wrong(event, f"names the event {named} of another item or annotator")
            way: dict[str, None] = {}
            at: EventRecord | None = event
            while at is not None and at.uuid not in settled:
                if at.uuid in way:
                    raise self._wrong(event, "comes after itself")
                way[at.uuid] = None
                at = self._events.get(at.follows or "")
            settled.update(way)

    def _wrong(self, event: EventRecord, what: str) -> InputError:
        file = self.path / ANNOTATORS / f"{safe_name(event.annotator)}.jsonl"
        return InputError(f"the event {event.uuid} {what}.", where=visible_line(str(file)))

    # --- the rest --------------------------------------------------------------------------------------------------

    def _read_studies(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for where, value in _values(self.path / STUDIES, optional=True):
            with _placed(where):
                if not isinstance(value.get("study"), str) or not isinstance(value.get("cases"), str):
                    raise UnusableError('"study" and "cases" must be text.')
                found.setdefault(value["study"], set()).add(value["cases"])
        return found

    def _read_assignments(self) -> list[AssignmentRecord]:
        shares: dict[Draw, set[tuple[str, str]]] = {}
        items: dict[Draw, set[ResponseKey]] = {}
        for where, value in _values(self.path / ASSIGNMENTS, optional=True):
            with _placed(where):
                draw, what = read_assignment(value)
                if draw.codebook not in self._graphs:
                    raise UnusableError(f"the bundle has no codebook {visible_line(draw.codebook, 60)}.")
                theirs = shares.setdefault(draw, set())
                if isinstance(what, ResponseKey):
                    items.setdefault(draw, set()).add(what)
                else:
                    theirs.add(what)
                    self._people.setdefault(what[1], AnnotatorRecord(what[1], AnnotatorKind.PERSON))
        latest = {draw.codebook: draw for draw in sorted(shares)}
        return [
            AssignmentRecord(
                book,
                draw.where,
                draw.overlap,
                draw.seed,
                draw.made_at,
                frozenset(shares[draw]),
                draw.sample or None,
                frozenset(items.get(draw, ())),
            )
            for book, draw in latest.items()
        ]


def event_uuids(path: Path) -> Iterator[str]:
    """Yield the UUIDs of a bundle's events without a look at what else their lines say."""
    for file in _annotator_files(path):
        for number, line in numbered_lines(file):
            if line.startswith(_UUID_FIRST):
                yield line[len(_UUID_FIRST) : len(_UUID_FIRST) + 36].decode("ascii", "replace")
                continue
            where = f"{visible_line(str(file))}:{number}"
            if is_conflict_marker(line):
                raise _unresolved(where)
            with _placed(where):
                value = read_line(line)
            if "annotator" not in value:
                yield str(value.get("uuid"))


def read_graphs(path: Path) -> dict[str, RevisionGraph]:
    """Read only the codebooks of a bundle: their revisions by name."""
    return {name: graph for name, graph, _ in _codebooks(path)}


def _codebooks(path: Path) -> Iterator[tuple[str, RevisionGraph, frozenset[str]]]:
    """Yield each codebook's name, revisions, and the ids of all tags that it ever had."""
    for folder in filter(Path.is_dir, _sorted(path / CODEBOOKS)):
        books: dict[str, Codebook] = {}
        file = folder / REVISIONS
        where = visible_line(str(file))
        graph, names = _read_revisions(file, books)
        if len(names) != 1 or not graph:
            raise InputError('it needs one line {"codebook": NAME}, and its revisions.', where=where)
        for name, revision in graph.items():
            if not revision.follows <= graph.keys():
                absent = next(iter(revision.follows - graph.keys())).content[:16]
                message = f"the revision {name.content[:16]} came after {absent}, which is not there."
                raise InputError(message, where=where)
        if {book.name for book in books.values()} != names:
            raise InputError("its codebooks have another name.", where=where)
        yield names.pop(), graph, frozenset(id_ for book in books.values() for id_ in book.counts_as)


def _read_revisions(file: Path, books: dict[str, Codebook]) -> tuple[RevisionGraph, set[str]]:
    """Read the lines of a codebook's revisions, and each codebook that they name, by its hash."""

    def text(content: str) -> str:
        path = file.with_name(f"{content[:16]}.yaml")
        if content not in books:
            if not path.is_file():
                raise UnusableError(f"the codebook {path.name} is not beside it.")
            book = load_codebook(path)
            if book.content_hash[:HASH_DIGITS] != content:
                raise InputError("its contents are others than its name says.", where=visible_line(str(path)))
            books[content] = book
        return dump_codebook(books[content])

    graph: RevisionGraph = {}
    names: set[str] = set()
    for where, value in _values(file):
        with _placed(where):
            if "codebook" in value:
                names.add(str(value["codebook"]))
                continue
            name, revision = read_revision(value, text)
            graph[name] = one_revision(graph[name], revision) if name in graph else revision
    return graph, names


def _person(value: Mapping[str, Any]) -> AnnotatorRecord:
    name, kind = value.get("annotator"), value.get("kind")
    if not isinstance(name, str) or not name.strip() or not isinstance(kind, str) or kind not in {*AnnotatorKind}:
        raise UnusableError('"annotator" must be a name, and "kind" person, model or computed.')
    return AnnotatorRecord(name, AnnotatorKind(kind))


@contextmanager
def _placed(where: str) -> Iterator[None]:
    """Say of an error inside the block where it is."""
    try:
        yield
    except UnusableError as error:
        raise InputError(str(error), where=where) from error


def _annotator_files(path: Path) -> list[Path]:
    return [file for file in _sorted(path / ANNOTATORS) if file.suffix == ".jsonl"]


def _sorted(folder: Path) -> list[Path]:
    """Return what is in a folder, in order; nothing where there is no folder."""
    try:
        return sorted(folder / name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable(folder, error) from error


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError as error:
        raise _unreadable(file, error) from error


def _unreadable(path: Path, error: OSError) -> InputError:
    return InputError(f"it cannot be read ({error.strerror}).", where=visible_line(str(path)))


def _values(path: Path, *, optional: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the lines of a file with their places; a file that is optional may be absent."""
    if optional and not path.exists():
        return
    for where, value, _ in _sized(path):
        yield where, value


def _sized(path: Path) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yield the lines of a file with their places and how many bytes each takes."""
    shown = visible_line(str(path))
    for number, line in numbered_lines(path):
        where = f"{shown}:{number}"
        if is_conflict_marker(line):
            raise _unresolved(where)
        with _placed(where):
            value = read_line(line)
        yield where, value, len(line) + 1


def _unresolved(where: str) -> InputError:
    return InputError(
        "git left a conflict here.",
        where=where,
        hint="Take the lines with <<<<<<<, ======= and >>>>>>> out, keep all others, and import again.",
    )


def _check_manifest(path: Path) -> None:
    data = read_bytes(path)
    for number, line in enumerate(data.splitlines(), 1):
        if is_conflict_marker(line):
            raise _unresolved(f"{visible_line(str(path))}:{number}")
    try:
        version = tomllib.loads(data.decode()).get("format")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"this is not TOML: {visible_line(str(error), 200)}.", where=visible_line(str(path))
        ) from error
    if version != FORMAT:
        shown = visible_line(repr(version), 40)
        raise InputError(
            f"this is an annotations bundle of format {shown}, and this version knows {FORMAT}.",
            where=visible_line(str(path)),
            hint="Install the newer auditor.",
        )
