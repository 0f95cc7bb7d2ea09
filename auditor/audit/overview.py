"""What an audit file holds in figures, counted piece by piece: of the overview screen and of `auditor info --json`.

    count_overview(connection, path, report, hidden=…)     all pieces, cheap ones first; each is reported at once
    items_behind(path, of)                                 the items that one figure counts, where no filter says them

Every figure comes from the function that the commands use for it; nothing is counted here a second time.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from auditor.audit.inspect import StudyInfo, count_superseded, newest_revisions, study_infos
from auditor.audit.progress import AnnotatorProgress, annotator_progress
from auditor.audit.report.modes import failures
from auditor.audit.tabulate import AccuracyTable, accuracy
from auditor.errors import InputError
from auditor.model import AnnotatorKind, ReviewState
from auditor.store.cells import Unsettled, cluster_counts, count_absent_cells, count_unsettled
from auditor.store.doubtful import count_disputed
from auditor.store.executions import executed_tasks
from auditor.store.file import open_for_reading, translate
from auditor.store.invalidations import count_invalid
from auditor.store.pending import waiting_beside
from auditor.store.problem_rows import problem_sizes
from auditor.store.report_counts import StatusCounts, setting_counts, status_counts
from auditor.store.review_rows import reviews_in_state
from auditor.store.tag_counts import Chosen

Report = Callable[["Overview"], None]
"""Is given what is counted so far; it may raise to stop."""
_NOTHING: frozenset[str] = frozenset()


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


class Doubtful(NamedTuple):
    """What a reader must know before trusting the figures."""

    absent: int
    """Planned cells without a row."""
    superseded: int
    status: StatusCounts | None
    """None where it is hidden, as all that follows."""
    invalid: int = 0
    disputed: int = 0
    """Responses whose oracle is disputed."""
    unsettled: Unsettled | None = None


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
    complete: bool = False
    """Whether all is counted that is not hidden."""

    @property
    def doing(self) -> str:
        """Return what is being counted; each section says whether it is still to come."""
        return ""

    def having(self, piece: str, value: Any) -> Overview:
        """Return the same with another value of a piece."""
        return replace(self, **{piece: value})

    def over(self, before: Overview) -> Overview:
        """Return these pieces, and where one is not counted what it was before."""
        made = before
        for piece, _, _ in _PIECES:
            if getattr(self, piece) is not None:
                made = made.having(piece, getattr(self, piece))
        return made


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
    connection: sqlite3.Connection, path: Path, report: Report, *, hidden: Collection[str] = _NOTHING
) -> Overview:
    """Count the pieces one after the other, in one state of the file; what speaks of hidden dimensions is left out."""
    connection.execute("BEGIN")
    found = Overview()
    for piece, dimensions, count in _PIECES:
        if hidden and not dimensions.isdisjoint(hidden):
            continue
        found = found.having(piece, count(connection, path, hidden))
        report(found)
    return replace(found, complete=True)


def items_behind(path: Path, of: InState | Tagged) -> list[int]:
    """Return the row ids of the items that a figure counts, in the order of import."""
    try:
        with closing(open_for_reading(path)) as connection:
            if isinstance(of, InState):
                return reviews_in_state(connection, of.annotator, of.codebook, of.state)
            return Chosen(connection, annotators=[of.annotator]).items_with(of.codebook, of.tag)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def overview_json(value: object) -> Any:
    """Return the figures, or a part of them, as what JSON can hold: fields by name, and lists."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: overview_json(getattr(value, one.name)) for one in fields(value)}
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
    absent, superseded = count_absent_cells(connection), count_superseded(connection)
    if "status" in hidden:
        return Doubtful(absent, superseded, None)
    return Doubtful(
        absent,
        superseded,
        status_counts(connection),
        count_invalid(connection),
        count_disputed(connection),
        count_unsettled(connection, ""),
    )


_Count = Callable[[sqlite3.Connection, Path, Collection[str]], object]
_PIECES: tuple[tuple[str, frozenset[str], _Count], ...] = (
    ("facts", frozenset(), _facts),
    ("progress", frozenset({"annotator", "state"}), _progress),
    ("shared", frozenset({"annotator", "state"}), _shared),
    ("tags", frozenset({"annotator", "tag"}), _tags),
    ("settings", frozenset({"setting"}), _settings),
    ("studies", frozenset(), _studies),
    ("core", frozenset({"setting", "status"}), _core),
    ("by_study", frozenset({"setting", "status"}), _by_study),
    ("modes", frozenset({"mode.computed", "status"}), _modes),
    ("by_arm", frozenset({"setting", "arm", "status"}), _by_arm),
    ("doubtful", frozenset(), _doubtful),
)
"""The name of each piece, the dimensions of which it speaks, and what counts it."""
