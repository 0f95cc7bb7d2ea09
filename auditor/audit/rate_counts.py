"""What the cells of a table of rates are made of: right answers, an outcome as somebody reads it, or pass@k."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from auditor.analysis import pass_at_k
from auditor.audit.judging import judge_by
from auditor.audit.outcomes import Question, read_outcomes
from auditor.errors import InputError
from auditor.store.cells import ClusterCounts, Group, cluster_counts, in_order, session_counts
from auditor.store.file import path_of

READER = "annotator"
"""The dimension before those of the rows where an outcome is read by several."""


class Counts(NamedTuple):
    """Counts by the dimensions of a table, and by cluster, or by task and setting for pass@k."""

    counts: list[ClusterCounts]
    """Groups begin with the reader where there are readers."""
    readers: tuple[str, ...]
    """In their order; none where the outcome asks for no tag."""
    clusters: list[int] | None
    """For pass@k: the clusters, by what the counts have in their place."""
    notes: tuple[str, ...] = ()


class Part(NamedTuple):
    """What one cluster contributes to a cell: the two rates are sums of `tops` by sums of `bottoms`."""

    cluster: int
    correct: int
    tops: tuple[float, float]
    bottoms: tuple[int, int]
    """Of completed and of planned responses; for pass@k of tasks with enough sessions."""
    ungraded: int
    completed: int
    """Replies."""


def rate_counts(
    connection: sqlite3.Connection,
    names: Sequence[str],
    where: str,
    *,
    policy: str | None = None,
    question: Question | None = None,
    pass_at: int | None = None,
) -> Counts:
    """Count what a filter leaves by dimensions; raises InputError for what does not go together."""
    if question is None:
        with judge_by(connection, policy):
            if pass_at is None:
                return Counts(cluster_counts(connection, names, where, judged=policy is not None), (), None)
            counts, clusters = session_counts(connection, names, where, judged=policy is not None)
            return Counts(counts, (), clusters)
    if policy is not None or pass_at is not None:
        raise InputError("--outcome goes with neither --policy nor --pass-at.", hint="Leave one of them out.")
    return _outcome_counts(connection, names, where, question)


def _outcome_counts(connection: sqlite3.Connection, names: Sequence[str], where: str, question: Question) -> Counts:
    """Count responses with the outcome; of tags out of the reviewed ones, for each reader."""
    planned = {(one.group, one.cluster): one for one in cluster_counts(connection, names, where)}
    found = read_outcomes(connection, path_of(connection), question, names, where)
    counts = []
    for reading in found.readings:
        sums: dict[tuple[Group, int], list[int]] = {key: [0, 0] for key in planned}
        for at, holds in reading.values.items():
            one = found.observations[at]
            numbers = sums[one.values, one.cluster]
            numbers[0] += holds
            numbers[1] += 1
        first = () if reading.name is None else (reading.name,)
        counts += [
            ClusterCounts((*first, *group), cluster, holds, known, planned[group, cluster].planned, 0)
            for (group, cluster), (holds, known) in sums.items()
        ]
    readers = tuple(one.name for one in found.readings if one.name is not None)
    return Counts(counts, readers, None, tuple(found.notes))


def ordered_rows(
    connection: sqlite3.Connection, counts: Counts, rows: Sequence[str], cols: Sequence[str]
) -> tuple[list[Group], list[Group]]:
    """Return the groups of the rows and of the columns in their order, those of the rows by reader first."""
    first = 1 if counts.readers else 0
    size = first + len(rows)
    by_reader: dict[Group, list[Group]] = {(reader,): [] for reader in counts.readers} or {(): []}
    for count in counts.counts:
        by_reader[count.group[:first]].append(count.group[first:size])
    found = [(*reader, *row) for reader, groups in by_reader.items() for row in in_order(connection, rows, groups)]
    return found, in_order(connection, cols, (count.group[size:] for count in counts.counts))


def parts_of(counts: Sequence[ClusterCounts], clusters: Sequence[int] | None, pass_at: int | None) -> list[Part]:
    """Return what clusters contribute to a cell."""
    if pass_at is None or clusters is None:
        return [
            Part(
                one.cluster, one.correct, (one.correct,) * 2, (one.completed, one.planned), one.ungraded, one.completed
            )
            for one in counts
        ]
    found: dict[int, list[Part]] = {}
    for one in counts:
        passed = [pass_at_k(sessions, one.correct, pass_at) for sessions in (one.completed, one.planned)]
        tops = (float(passed[0] or 0), float(passed[1] or 0))
        bottoms = (int(passed[0] is not None), int(passed[1] is not None))
        cluster = clusters[one.cluster]
        found.setdefault(cluster, []).append(Part(cluster, one.correct, tops, bottoms, one.ungraded, one.completed))
    return [_sum(parts) for parts in found.values()]


def _sum(parts: Sequence[Part]) -> Part:
    clusters, correct, tops, bottoms, ungraded, completed = zip(*parts, strict=True)
    return Part(
        clusters[0],
        sum(correct),
        (fsum(one for one, _ in tops), fsum(one for _, one in tops)),  # exact in whatever order
        (sum(one for one, _ in bottoms), sum(one for _, one in bottoms)),
        sum(ungraded),
        sum(completed),
    )
