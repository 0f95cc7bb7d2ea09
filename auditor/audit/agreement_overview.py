"""How far everybody under one codebook agrees, in the parts that a screen shows: pairs, tags, confusion, items.

    ground = read_ground(path, codebook)                   what was said, as of now; read_kept: at once, but less
    measure_pair(ground, "ana", "ben")                     kappa of whole sets and of each tag, values only: fast
    measure_tags(ground, "ana", "ben", report)             the same with intervals and what belongs beside them
    differing_items(ground, "ana", "ben", "copying")       the items behind a number

Everything here is a pure function of the ground, but for reading it; all may be called from any thread.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from auditor.agreement.coefficient import NONE, Coefficient, Options
from auditor.agreement.confusion import Cell, Confusion, cells_of, confusion
from auditor.agreement.measure import measure_agreement
from auditor.agreement.plan import ALPHA
from auditor.agreement.ratings import Ratings
from auditor.audit.agree import NO_DOUBTS, Doubts, count_doubts
from auditor.audit.kept_agreement import agreement_of
from auditor.audit.late_tags import LateTags, late_tags
from auditor.audit.rated import RatedAudit, read_rated
from auditor.errors import AuditorError
from auditor.model import AnnotatorKind, person_of_pass
from auditor.store.file import open_for_reading, translate
from auditor.store.ratings import reviewed_codebooks

KAPPA, AC1, POSITIVE, NEGATIVE = "cohen_kappa", "gwet_ac1", "positive_agreement", "negative_agreement"
_BESIDE = (AC1, POSITIVE, NEGATIVE)
_TAGS_AT_ONCE = 4
"""Tags measured between two reports of how far it is."""


Values = dict[frozenset[str], dict["str | None", Coefficient]]
"""Kappa without intervals, by the names of two and by tag; None = whole sets."""


@dataclass(frozen=True)
class Ground:
    """What was said of the items under one codebook."""

    audit: RatedAudit
    ratings: Ratings
    late: LateTags
    """Of tags the reviews that are older than the tag, by annotator."""
    kept: Values | None = None
    """Where the reviews themselves are not read: kappa of each tag from the counts that the file keeps."""
    kept_tags: tuple[str, ...] = ()
    doubts: Doubts = NO_DOUBTS
    """Reviewed items that are left out as invalid, and measured ones whose oracle is disputed."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return everybody who reviewed anything, people first, in the order in which they came."""
        kinds = self.audit.kinds
        return tuple(
            sorted(kinds, key=lambda name: (kinds[name] is not AnnotatorKind.PERSON, bool(person_of_pass(name))))
        )

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the ids of the tags."""
        return self.kept_tags or self.audit.tags

    def have_both(self, first: str, second: str) -> bool:
        """Say whether two annotators reviewed any item both."""
        if self.kept is not None:
            return any(kappa.n_items for kappa in self.kept.get(frozenset((first, second)), {}).values())
        return not self.said[first].keys().isdisjoint(self.said[second].keys())

    @cached_property
    def said(self) -> Mapping[str, Mapping[int, frozenset[str]]]:
        """The tags of each annotator's reviewed items, by name and row id."""
        found: dict[str, dict[int, frozenset[str]]] = {name: {} for name in self.audit.kinds}
        rated = self.audit.rated
        for item, name, tags in zip(rated.items, rated.annotators, rated.tags, strict=True):
            found[name][item] = tags
        return found

    def is_same(self, other: Ground) -> bool:
        """Say whether another ground holds the same."""
        return self.audit == other.audit and self.late == other.late and self.kept is other.kept is None


class TagRow(NamedTuple):
    """One tag between two annotators."""

    tag: str | None
    """None = whole sets of tags."""
    kappa: Coefficient
    """With its interval, observed agreement, prevalence, items and clusters."""
    beside: Mapping[str, Coefficient]
    """What else is measured, by statistic, without intervals: of a tag AC1 and the agreement specific to it and to its
    absence, of whole sets Krippendorff's alpha."""


class PairReport(NamedTuple):
    """All that is measured between two annotators."""

    rows: tuple[TagRow, ...]
    """Whole sets, then tag by tag, as many as are measured so far."""
    confusion: Confusion


def read_ground(path: Path, codebook: str) -> Ground | None:
    """Read what was said under a codebook; None when nobody has reviewed anything under it."""
    try:
        with closing(open_for_reading(path)) as connection:
            if codebook not in reviewed_codebooks(connection):
                return None
            audit = read_rated(connection, path, codebook=codebook)
            late = late_tags(connection, codebook)
            doubts = count_doubts(connection, codebook)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    return Ground(audit, audit.ratings(), late, doubts=doubts) if audit.rated.items else None


def read_kept(path: Path, codebook: str) -> Ground | None:
    """Read what the file keeps counts of, which takes as long in a file of any size; None as for `read_ground`.

    Kappa of the tags is there then, without whole sets, confusion and items.
    """
    try:
        with closing(open_for_reading(path)) as connection:
            if codebook not in reviewed_codebooks(connection):
                return None
            audit = read_rated(connection, path, annotators=(), codebook=codebook)
            found = agreement_of(connection, path, list(audit.kinds), codebook, statistics=(KAPPA,))
            doubts = count_doubts(connection, codebook)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    kept: Values = {}
    for one in found.coefficients:
        by_tag = kept.setdefault(frozenset(one.annotators), {None: _to_come(one)})
        by_tag[one.tag] = _without_interval(one)
    return Ground(audit, audit.ratings(), {}, kept, found.tags, doubts)


def _to_come(one: Coefficient) -> Coefficient:
    reason = "Whole sets of tags are compared when all reviews are read."
    return Coefficient(KAPPA, one.scope, one.annotators, None, one.n_items, None, None, reason=reason)


def _without_interval(one: Coefficient) -> Coefficient:
    """Leave out an interval that takes items for independent: the one of clusters comes later."""
    return replace(one, se=None, ci_low=None, ci_high=None, ci_method=None, interval=None, t_low=None, t_high=None)


def measure_pair(ground: Ground, first: str, second: str) -> dict[str | None, Coefficient]:
    """Return the kappa of whole sets (None) and of each tag, without intervals."""
    options = Options(annotators=(first, second), statistics=(KAPPA,), bootstrap=NONE)
    found = measure_agreement(ground.ratings, options)
    return {one.tag: _without_interval(one) for one in found if one.group is None}


def measure_tags(ground: Ground, first: str, second: str, report: Callable[[PairReport], None]) -> PairReport:
    """Measure whole sets and each tag with intervals; `report` is given what is there after every few tags.

    It may raise to stop.
    """
    pair = (first, second)
    confused = confusion(ground.ratings, first, second)
    whole = replace(ground.ratings, categories=(), groups=())
    kappas = measure_agreement(whole, Options(annotators=pair, statistics=(KAPPA,)))
    beside = measure_agreement(whole, Options(annotators=pair, statistics=(ALPHA,), bootstrap=NONE))
    rows = [TagRow(None, kappas[0], {one.statistic: one for one in beside})]
    tags = ground.tags
    for at in range(0, len(tags), _TAGS_AT_ONCE):
        report(PairReport(tuple(rows), confused))
        some = tags[at : at + _TAGS_AT_ONCE]
        kappas = measure_agreement(ground.ratings, Options(annotators=pair, statistics=(KAPPA,), tags=some))
        beside = measure_agreement(
            ground.ratings, Options(annotators=pair, statistics=_BESIDE, tags=some, bootstrap=NONE)
        )
        by_tag = {kappa.tag: kappa for kappa in kappas}
        for tag in some:
            rows.append(TagRow(tag, by_tag[tag], {one.statistic: one for one in beside if one.tag == tag}))
    return PairReport(tuple(rows), confused)


# --- the items behind a number ---------------------------------------------------------------------------------------


def differing_items(ground: Ground, first: str, second: str, tag: str | None) -> list[int]:
    """Return the items that both reviewed and of which they say otherwise: about a tag, or None, in any tag."""
    one, other = ground.said[first], ground.said[second]

    def differs(item: int) -> bool:
        return one[item] != other[item] if tag is None else (tag in one[item]) != (tag in other[item])

    return [item for item in sorted(one.keys() & other.keys()) if differs(item)]


def confused_items(ground: Ground, first: str, second: str, cell: Cell) -> list[int]:
    """Return the items that are counted in a cell of the confusion of two annotators."""
    one, other = ground.said[first], ground.said[second]
    return [item for item in sorted(one.keys() & other.keys()) if cell in cells_of(one[item], other[item])]


class FileWatch:
    """Says whether another connection has written to an audit file since it was asked last, in any thread."""

    def __init__(self, path: Path) -> None:
        """Raise AuditorError where the file cannot be read."""
        self._path = path
        self._lock = threading.Lock()
        self._connection = open_for_reading(path)
        self._version = self._read()

    def has_changed(self) -> bool:
        """Say whether something was written; a file that cannot be asked now has not changed."""
        try:
            version = self._read()
        except AuditorError:
            return False
        changed, self._version = version != self._version, version
        return changed

    def _read(self) -> int:
        try:
            with self._lock:
                return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error as error:
            raise translate(error, self._path) from error

    def close(self) -> None:
        """Close the connection; it has not changed after that."""
        with self._lock:
            self._connection.close()
