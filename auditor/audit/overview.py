"""What an audit file holds in figures, counted piece by piece: of the overview screen and of `auditor info --json`.

    count_overview(connection, path, report, hidden=…)     all pieces, cheap ones first; each is reported at once
    count_overview(…, before=found)                        only what can have changed since
    items_behind(path, of)                                 the items that one figure counts, where no filter says them

Every figure comes from the function that the commands use for it; nothing is counted here a second time.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from auditor.audit.flags.behind import flagged_items
from auditor.audit.flags.flag import Flag, FlagItems, flag_json
from auditor.audit.flags.responses import Doubtful, count_doubtful, of_clusters, of_doubtful, of_settings
from auditor.audit.flags.reviews import of_progress, of_reviews, of_waiting
from auditor.audit.inspect import StudyInfo, newest_revisions, study_infos
from auditor.audit.progress import AnnotatorProgress, annotator_progress
from auditor.audit.report.modes import failures
from auditor.audit.tabulate import AccuracyTable, accuracy
from auditor.errors import InputError
from auditor.model import AnnotatorKind, ReviewState
from auditor.store.cells import cluster_counts
from auditor.store.executions import executed_tasks
from auditor.store.file import open_for_reading, translate
from auditor.store.pending import waiting_beside
from auditor.store.problem_rows import problem_sizes
from auditor.store.report_counts import setting_counts
from auditor.store.response_counts import kept_counts
from auditor.store.review_rows import reviews_in_state
from auditor.store.stamps import Stamp, stamp_of_answers, stamp_of_marks
from auditor.store.tag_counts import Chosen

Report = Callable[["Overview"], None]
"""Is given what is counted so far; it may raise to stop."""
_NOTHING: frozenset[str] = frozenset()
_NO_JSON = MappingProxyType({"json": False})
"""Of a field that JSON has in another form, or not at all."""


class FileFacts(NamedTuple):
    """The file itself."""

    bytes: int
    version: int
    created_at: str
    created_with: str
    codebooks: dict[str, int]
    """Newest revision by name, of those that are kept in the file."""
    executed: dict[str, int]
    """Live tasks by what running them gave; empty where none was run, or where that is hidden."""
    waiting: list[str]
    """Names of the files beside it that hold marks which are not in it yet."""


class TagItems(NamedTuple):
    """On how many items, reviewed ones, an annotator put a tag."""

    codebook: str
    tag: str
    annotator: str
    kind: str
    items: int
    clusters: int


class Shared(NamedTuple):
    """How many items at least two people reviewed under a codebook."""

    codebook: str
    items: int


class ModeItems(NamedTuple):
    """How many wrong responses have a computed mode as their primary one."""

    mode: str
    wrong: int


class SettingItems(NamedTuple):
    """How many live responses a setting gave."""

    setting: str
    responses: int


class CoreSize(NamedTuple):
    """What there is of problems with several implementations."""

    problems: int
    implementations: int
    outputs: int
    """Tasks."""
    probes: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Pieces of the figures; None = not counted yet, or hidden."""

    facts: FileFacts | None = None
    progress: tuple[AnnotatorProgress, ...] | None = None
    tags: tuple[TagItems, ...] | None = None
    shared: tuple[Shared, ...] | None = None
    settings: tuple[SettingItems, ...] | None = None
    studies: tuple[StudyInfo, ...] | None = None
    by_study: AccuracyTable | None = None
    """Accuracy of each setting by study, without intervals."""
    by_arm: AccuracyTable | None = None
    modes: tuple[ModeItems, ...] | None = None
    """The commonest first."""
    core: CoreSize | None = None
    doubtful: Doubtful | None = None
    clusters: tuple[Flag, ...] | None = field(default=None, metadata=_NO_JSON)
    """Studies of few clusters, or of very unequal ones."""
    unlike: tuple[Flag, ...] | None = field(default=None, metadata=_NO_JSON)
    """Settings that miss many answers, and studies whose settings answered other tasks."""
    reviewing: tuple[Flag, ...] | None = field(default=None, metadata=_NO_JSON)
    """What is doubtful of what people said."""
    complete: bool = False
    """Whether all is counted that is not hidden."""
    stale: frozenset[str] = field(default=frozenset(), metadata=_NO_JSON)
    """Names of pieces that are of a former state of the file and will be counted again."""
    stamps: Mapping[str, Stamp] = field(default_factory=dict, compare=False, metadata=_NO_JSON)
    """Of which state of what is in the file each piece is."""

    @property
    def doing(self) -> str:
        """Return what is being counted; each section says whether it is still to come."""
        return ""

    def shows_what(self, before: Overview) -> bool:
        """Say whether it has the pieces that were there before: each report has one more."""
        return False

    def having(self, piece: str, value: Any) -> Overview:
        """Return the same with another value of a piece."""
        return replace(self, **{piece: value})

    def over(self, before: Overview) -> Overview:
        """Return these pieces: what was counted before stands in them already."""
        return self

    @property
    def flags(self) -> list[Flag]:
        """Return what a reader has to know of, as far as it is counted: of reviews first, then of responses."""
        return [
            *of_waiting(self.facts.waiting if self.facts else ()),
            *of_progress(self.progress or ()),
            *(self.reviewing or ()),
            *(self.clusters or ()),
            *(self.unlike or ()),
            *(of_doubtful(self.doubtful) if self.doubtful else ()),
        ]


class InState(NamedTuple):
    """The items that somebody's review leaves in a state."""

    annotator: str
    codebook: str
    state: ReviewState


class Tagged(NamedTuple):
    """The reviewed items on which somebody put a tag."""

    annotator: str
    codebook: str
    tag: str


def read_overview(path: Path) -> Overview:
    """Count everything; raises AuditFileError where the file cannot be read."""
    try:
        with closing(open_for_reading(path)) as connection:
            return count_overview(connection, path, lambda overview: None)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def count_overview(
    connection: sqlite3.Connection,
    path: Path,
    report: Report,
    *,
    hidden: Collection[str] = _NOTHING,
    before: Overview | None = None,
) -> Overview:
    """Count the pieces one after the other, in one state of the file; what speaks of hidden dimensions is left out.

    Of what was counted `before` a piece stays that nothing written since can have changed; the others are stale until
    they are counted again.
    """
    connection.execute("BEGIN")
    marks, answers = stamp_of_marks(connection), stamp_of_answers(connection)
    wanted = {piece.name: piece for piece in _PIECES if not hidden or piece.dimensions.isdisjoint(hidden)}
    stamps = {name: piece.stamp(marks, answers) for name, piece in wanted.items()}
    found = before or Overview()
    old = [name for name in wanted if stamps[name] is None or found.stamps.get(name) != stamps[name]]
    stale = frozenset(name for name in old if getattr(found, name) is not None and stamps[name] is not None)
    kept = {name: stamp for name, stamp in found.stamps.items() if name not in old}
    found = replace(found, complete=False, stale=stale, stamps=kept)
    report(found)
    with ExitStack() as until_all_is_counted:
        for name in old:
            if wanted[name].of_answers:
                until_all_is_counted.enter_context(kept_counts(connection))
            value = wanted[name].count(connection, path, hidden)
            known = {**found.stamps, name: stamps[name] or ()}
            found = replace(found.having(name, value), stale=found.stale - {name}, stamps=known)
            report(found)
    return replace(found, complete=True)


def items_behind(path: Path, of: InState | Tagged | FlagItems) -> list[int]:
    """Return the row ids of the items that a figure counts, in the order of import."""
    try:
        with closing(open_for_reading(path)) as connection:
            if isinstance(of, InState):
                return reviews_in_state(connection, of.annotator, of.codebook, of.state)
            if isinstance(of, FlagItems):
                return flagged_items(connection, of)
            return Chosen(connection, annotators=[of.annotator]).items_with(of.codebook, of.tag)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def overview_json(value: object) -> Any:
    """Return the figures, or a part of them, as what JSON can hold: fields by name, and lists."""
    if is_dataclass(value) and not isinstance(value, type):
        named = {one.name: overview_json(getattr(value, one.name)) for one in fields(value) if not one.metadata}
        return named | ({"flags": [flag_json(flag) for flag in value.flags]} if isinstance(value, Overview) else {})
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: overview_json(part) for name, part in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [overview_json(part) for part in value]
    return value


# --- the pieces ------------------------------------------------------------------------------------------------------


def _facts(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> FileFacts:
    facts = dict(connection.execute("SELECT name, value FROM facts"))
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    executed = {} if "executed" in hidden else executed_tasks(connection)
    books = newest_revisions(connection)
    size = path.stat().st_size
    return FileFacts(size, version, facts["created_at"], facts["created_with"], books, executed, waiting_beside(path))


def _progress(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[AnnotatorProgress, ...]:
    return tuple(annotator_progress(connection))


def _tags(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[TagItems, ...]:
    chosen = Chosen(connection)
    kinds = {(one.codebook, one.annotator): one.kind for one in chosen.reviewers()}
    return tuple(
        TagItems(book, tag, annotator, kinds[book, annotator], use.items, use.clusters)
        for (book, tag, annotator), use in chosen.uses().items()
    )


def _shared(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[Shared, ...]:
    several = Chosen(connection).several()
    return tuple(Shared(book, items) for (book, kind), items in several.items() if kind == AnnotatorKind.PERSON)


def _settings(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[SettingItems, ...]:
    return tuple(SettingItems(*one) for one in setting_counts(connection))


def _studies(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[StudyInfo, ...]:
    return tuple(study_infos(connection))


def _by_study(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> AccuracyTable | None:
    return _accuracy(connection, "study")


def _by_arm(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> AccuracyTable | None:
    return _accuracy(connection, "arm")


def _accuracy(connection: sqlite3.Connection, dimension: str) -> AccuracyTable:
    try:
        return accuracy(connection, rows=("setting",), cols=(dimension,), replicates=0)
    except InputError:
        # There is nothing to tabulate: no response and no planned cell.
        return AccuracyTable([], [], [], 0, 0, 0.95)


def _modes(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[ModeItems, ...]:
    counts: Counter[str] = Counter()
    for (mode, _), count in failures(cluster_counts(connection, ["mode.computed", "setting"], "")).items():
        counts[mode] += count
    return tuple(ModeItems(mode, wrong) for mode, wrong in counts.most_common() if wrong)


def _core(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> CoreSize:
    return CoreSize(*problem_sizes(connection))


def _doubtful(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> Doubtful:
    return count_doubtful(connection, answers="status" not in hidden)


def _clusters(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[Flag, ...]:
    return tuple(of_clusters(connection))


def _unlike(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[Flag, ...]:
    return tuple(of_settings(connection))


def _reviewing(connection: sqlite3.Connection, path: Path, hidden: Collection[str]) -> tuple[Flag, ...]:
    return tuple(of_reviews(connection, path))


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one query or a few count."""

    name: str
    dimensions: frozenset[str]
    """Of which it speaks."""
    count: Callable[[sqlite3.Connection, Path, Collection[str]], object]
    of_marks: bool = False
    of_answers: bool = False

    def stamp(self, marks: Stamp, answers: Stamp) -> Stamp | None:
        """Return the state of what it is counted of; None = it is counted each time."""
        return (*marks, *answers) if self.of_marks else answers if self.of_answers else None


_WORK = frozenset({"annotator", "state", "tag"})
_PIECES: tuple[_Piece, ...] = (
    _Piece("facts", frozenset(), _facts),
    _Piece("progress", _WORK, _progress, of_marks=True),
    _Piece("shared", _WORK, _shared, of_marks=True),
    _Piece("tags", _WORK, _tags, of_marks=True),
    _Piece("reviewing", _WORK, _reviewing, of_marks=True),
    _Piece("settings", frozenset({"setting"}), _settings, of_answers=True),
    _Piece("studies", frozenset(), _studies, of_answers=True),
    _Piece("core", frozenset({"setting", "status"}), _core, of_answers=True),
    _Piece("clusters", frozenset(), _clusters, of_answers=True),
    _Piece("by_study", frozenset({"setting", "status"}), _by_study, of_answers=True),
    _Piece("modes", frozenset({"mode.computed", "status"}), _modes, of_answers=True),
    _Piece("by_arm", frozenset({"setting", "arm", "status"}), _by_arm, of_answers=True),
    _Piece("unlike", frozenset({"setting", "status"}), _unlike, of_answers=True),
    _Piece("doubtful", frozenset(), _doubtful, of_answers=True),
)
"""In the order in which they are counted."""
