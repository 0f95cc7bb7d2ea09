"""Agreement per tag from the counts that the audit file keeps: there at once, however large the file is."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from auditor.agreement.coefficient import Coefficient
from auditor.agreement.counts import Counted, coefficients_from_counts
from auditor.agreement.plan import USUAL_PAIR_TAG, check_confidence, refuse_twice
from auditor.audit.agree import check_annotators, check_categories, measured_codebook
from auditor.audit.codebooks import named_codebook
from auditor.model import AnnotatorKind
from auditor.store.file import open_for_reading, translate
from auditor.store.kept_agreement import PairCounts, TagCounts, kept_counts
from auditor.store.ratings import annotators_of_kind

_NOTHING = TagCounts(0, 0, 0)


class KeptAgreement(NamedTuple):
    """Agreement of every two annotators, tag by tag."""

    codebook: str
    annotators: tuple[str, ...]
    tags: tuple[str, ...]
    coefficients: list[Coefficient]
    """By tag, then by pair of annotators."""


def kept_agreement(
    file: str | Path,
    *,
    annotators: Sequence[str] | None = None,
    codebook: str | None = None,
    tags: Sequence[str] = (),
    statistics: tuple[str, ...] = USUAL_PAIR_TAG,
    confidence: float = 0.95,
) -> KeptAgreement:
    """Measure every two people (or named annotators) on each tag, with asymptotic intervals, from kept counts.

    Raises InputError and AuditFileError as `ratings_from_audit` does, for a tag that the codebook does not have,
    for an annotator who is named twice, and for what is no confidence.
    """
    path = Path(file)
    try:
        with closing(open_for_reading(path)) as connection:
            return agreement_of(connection, path, annotators, codebook, tags, statistics, confidence)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def agreement_of(
    connection: sqlite3.Connection,
    path: Path,
    annotators: Sequence[str] | None = None,
    codebook: str | None = None,
    tags: Sequence[str] = (),
    statistics: tuple[str, ...] = USUAL_PAIR_TAG,
    confidence: float = 0.95,
) -> KeptAgreement:
    """Do the same on an open file, e.g. again after each tag; `path` names the file in errors."""
    check_confidence(confidence)
    refuse_twice(annotators or ())
    name = measured_codebook(connection, path, codebook)
    if annotators is None:
        names = annotators_of_kind(connection, name, AnnotatorKind.PERSON)
    else:
        check_annotators(annotators, annotators_of_kind(connection, name, None), name)
        names = list(annotators)
    counts = {frozenset((one.first, one.second)): one for one in kept_counts(connection, name)}
    used = {tag for one in counts.values() for tag, count in one.tags.items() if any(count)}
    declared = [tag.id for tag in named_codebook(connection, name).active]
    known = [*declared, *sorted(used - set(declared))]
    check_categories(tags, known, name)
    wanted = tuple(tags) or tuple(known)
    found = [
        one
        for tag in wanted
        for first, second in combinations(names, 2)
        for one in coefficients_from_counts(
            _counted(counts.get(frozenset((first, second))), first, second, tag), statistics, confidence
        )
    ]
    return KeptAgreement(name, tuple(names), wanted, found)


def _counted(pair: PairCounts | None, first: str, second: str, tag: str) -> Counted:
    """Return the counts of a tag, the annotators in the order asked for."""
    if pair is None:
        return Counted(first, second, tag, 0, 0, 0, 0)
    count = pair.tags.get(tag, _NOTHING)
    if pair.first != first:
        return Counted(first, second, tag, pair.items, count.by_second, count.by_first, count.by_both)
    return Counted(first, second, tag, pair.items, *count)
