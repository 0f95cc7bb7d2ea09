"""Whether measures are larger among failures: theta of each series with its permutation test, and the correction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from auditor.analysis import GENERATOR, RankAssociation, benjamini_hochberg, rank_association
from auditor.audit.outcomes import Outcomes, Question, Reading, grade_notes, read_outcomes
from auditor.audit.predictors import MEASURES, as_number, check_measures
from auditor.audit.tabulate import SEED
from auditor.errors import InputError
from auditor.store.cells import Group, in_order
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.store.expr import parse
from auditor.store.observations import observations
from auditor.store.suggestions import hint_for_nothing
from auditor.text import visible_line

ALPHA = 0.05
Step = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and of how much; may raise to end it."""


@dataclass(frozen=True, slots=True)
class AssociateOptions:
    """Which series there are, and which of them are the family of tests."""

    question: Question = field(default_factory=Question)
    measures: tuple[str, ...] = MEASURES
    by: tuple[str, ...] = ("setting", "study", "arm")
    """A series is the responses that share these."""
    where: str = ""
    family: str = ""
    """A filter that takes the series of the family whole; none = all series."""
    alpha: float = ALPHA
    replicates: int = 10_000
    seed: int = SEED


class Series(NamedTuple):
    """One test: a measure, a group of responses, a reading of the outcome."""

    measure: str
    group: Group
    reader: str | None
    """Whose tags; None where the outcome asks for none."""
    association: RankAssociation
    clusters: int
    without_measure: int
    """Responses of the group that have no value of the measure; they are left out."""
    in_family: bool
    adjusted: float | None
    """P by Benjamini and Hochberg over the family; None outside of it and where it is inestimable."""
    rejected: bool
    """Whether that is at most alpha."""

    @property
    def supported(self) -> bool:
        """Say whether theta is above one half and the unadjusted p below 0.05, the study's nominal rule."""
        found = self.association
        return found.theta is not None and found.p is not None and found.theta > 0.5 and found.p < ALPHA


class Summary(NamedTuple):
    """The series of one measure under one reading."""

    measure: str
    reader: str | None
    series: int
    estimable: int
    supported: int
    least: float | None
    most: float | None
    """The range of theta over the estimable series."""
    family: int
    """Estimable series in the family."""
    rejected: int


class Associations(NamedTuple):
    """All series, by reading, measure and group."""

    options: AssociateOptions
    series: list[Series]
    summaries: list[Summary]
    repeated: int
    """Series in which some cluster has several rows, which the test takes for independent."""
    generator: str
    notes: list[str]
    invalid: int
    disputed: int


def associate(
    connection: sqlite3.Connection, path: Path, options: AssociateOptions, progress: Step | None = None
) -> Associations:
    """Test each measure in each group of completed responses: is it larger where the outcome holds?

    Every series is shuffled from the same seed, so its numbers do not hang on which others there are.
    Raises InputError for want of rows, grades, measures or reviews, and for a family that takes a series in part.
    """
    if not options.measures:
        raise InputError("there is no measure to test.", hint="Name one with --measures.")
    check_measures(connection, path, options.measures)
    dimensions = [*options.by, *options.measures]
    outcomes = read_outcomes(connection, path, options.question, dimensions, options.where)
    size = len(options.by)
    groups = in_order(connection, options.by, (one.values[:size] for one in outcomes.observations))
    family = _family(connection, outcomes, options)
    members: dict[Group, list[int]] = {group: [] for group in groups}
    for place, one in enumerate(outcomes.observations):
        members[one.values[:size]].append(place)
    planned = [
        (reading, name, at, group)
        for reading in outcomes.readings
        for at, name in enumerate(options.measures, size)
        for group in groups
    ]
    found = []
    for done, (reading, name, at, group) in enumerate(planned):
        label = " ".join([name, *map(str, group)])
        step = None if progress is None else partial(progress, label, done, len(planned))
        found.append(_series(outcomes, reading, name, at, group, members[group], group in family, options, step))
    series = _adjusted(found, options.alpha)
    return Associations(
        options=options,
        series=series,
        summaries=_summaries(series),
        repeated=sum(one.clusters < one.association.n_failures + one.association.n_successes for one in series),
        generator=GENERATOR,
        notes=[*outcomes.notes, *grade_notes(connection, options.question, options.where)],
        invalid=count_left_out(connection, options.where),
        disputed=count_disputed(connection, options.where),
    )


def _family(connection: sqlite3.Connection, outcomes: Outcomes, options: AssociateOptions) -> set[Group]:
    """Return the groups that the declared family takes; raises InputError where it takes one in part."""
    size = len(options.by)
    groups = {one.values[:size] for one in outcomes.observations}
    if not options.family:
        return groups
    rows = observations(connection, options.by, options.where, [parse(options.family)])
    inside = {one.values for one in rows if one.holds[0]}
    part = inside & {one.values for one in rows if not one.holds[0]}
    if part:
        shown = " ".join(visible_line(str(value), 40) for value in min(part, key=str))
        hint = f"Declare it by what --by names: {', '.join(options.by)}."
        raise InputError(f"the family takes only a part of the series {shown}.", hint=hint)
    if not inside:
        told = f"the family {visible_line(options.family, 80)!r} takes no series."
        raise InputError(told, hint=hint_for_nothing(connection, options.family))
    return inside


def _series(
    outcomes: Outcomes,
    reading: Reading,
    measure: str,
    at: int,
    group: Group,
    places: Sequence[int],
    in_family: bool,
    options: AssociateOptions,
    step: Callable[[], None] | None,
) -> Series:
    failures: list[float] = []
    successes: list[float] = []
    clusters, without = set(), 0
    for place in places:
        if place not in reading.values:
            continue
        one = outcomes.observations[place]
        value = as_number(one.values[at], measure)
        if value is None:
            without += 1
            continue
        (failures if reading.values[place] else successes).append(value)
        clusters.add(one.cluster)
    # Sorted, so that a seed shuffles the same whatever the order in which the rows were brought in.
    found = rank_association(sorted(failures), sorted(successes), options.replicates, options.seed, step)
    return Series(measure, group, reading.name, found, len(clusters), without, in_family, None, False)


def _adjusted(series: Sequence[Series], alpha: float) -> list[Series]:
    """Adjust the p values of the family, for each reading on its own."""
    found = list(series)
    for reader in dict.fromkeys(one.reader for one in series):
        places = [at for at, one in enumerate(series) if one.reader == reader and one.in_family]
        adjusted = benjamini_hochberg([series[at].association.p for at in places], alpha)
        for at, p, rejected in zip(places, adjusted.p, adjusted.rejected, strict=True):
            found[at] = found[at]._replace(adjusted=p, rejected=rejected)
    return found


def _summaries(series: Sequence[Series]) -> list[Summary]:
    found = []
    for reader, measure in dict.fromkeys((one.reader, one.measure) for one in series):
        own = [one for one in series if (one.reader, one.measure) == (reader, measure)]
        thetas = [one.association.theta for one in own if one.association.theta is not None]
        found.append(
            Summary(
                measure=measure,
                reader=reader,
                series=len(own),
                estimable=len(thetas),
                supported=sum(one.supported for one in own),
                least=min(thetas, default=None),
                most=max(thetas, default=None),
                family=sum(one.in_family and one.association.p is not None for one in own),
                rejected=sum(one.rejected for one in own),
            )
        )
    return found
