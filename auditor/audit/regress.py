"""Logistic regression of an outcome on study, arm, setting and measures, with uncertainty over whole clusters."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from auditor.analysis import LogisticFit, cluster_logit, require_statsmodels
from auditor.audit.outcomes import Outcomes, Question, Reading, grade_notes, read_outcomes
from auditor.audit.predictors import MEASURES, Design, build_design, check_measures, usable
from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.text import counted, visible_line

Progress = Callable[[str, int, int], None]
"""Called with what is done, the steps done and the steps in all."""


@dataclass(frozen=True, slots=True)
class RegressOptions:
    """What is fitted."""

    question: Question = field(default_factory=Question)
    factors: tuple[str, ...] = ("study", "arm", "setting")
    measures: tuple[str, ...] = MEASURES
    where: str = ""
    confidence: float = 0.95
    references: Mapping[str, str] = field(default_factory=dict)
    """By factor the level that the others are compared with; the first in the order of import where none is given."""


class FittedReading(NamedTuple):
    """The fit of one reading of the outcome."""

    reader: str | None
    """Whose tags; None where the outcome asks for none."""
    fit: LogisticFit
    design: Design


class TermRange(NamedTuple):
    """A coefficient over several readings: what hangs on who read the tags."""

    name: str
    least: float
    most: float
    """The least and the most of the readings' estimates."""
    low: float | None
    high: float | None
    """The ends of the interval that holds all of the readings' intervals; None where one has none."""


class Regression(NamedTuple):
    """The fits of all readings."""

    options: RegressOptions
    fits: list[FittedReading]
    ranges: list[TermRange]
    """Over annotators, without what is final; empty where fewer than two have a fit with the same columns."""
    left_out: dict[str, int]
    """By measure the completed responses that have no value of it with a logarithm."""
    notes: list[str]
    invalid: int
    disputed: int


def regress(
    connection: sqlite3.Connection, path: Path, options: RegressOptions, progress: Progress | None = None
) -> Regression:
    """Fit the outcome on factors and mean-centred base-2 logarithms of measures: slopes are for each doubling.

    A row is a completed response, and clusters are clean sources. Raises InputError where nothing can be fitted for
    want of rows, grades, measures or reviews, AuditorError without the extra `analysis`.
    """
    require_statsmodels()
    if not options.factors and not options.measures:
        raise InputError("there is nothing to regress on.", hint="Name --factors or --measures.")
    unknown = sorted(set(options.references) - set(options.factors))
    if unknown:
        raise InputError(f"{visible_line(unknown[0], 40)} is none of the factors.", hint="See --factors.")
    check_measures(connection, path, options.measures)
    names = [*options.factors, *options.measures]
    told = progress or (lambda label, done, total: None)
    told("reading responses", 0, 2)
    outcomes = read_outcomes(connection, path, options.question, [*names, "language"], options.where)
    first = len(options.factors)
    usable_rows, left_out = _usable(outcomes, options.measures, first)
    fits, readings = [], len(outcomes.readings)
    for done, reading in enumerate(outcomes.readings):
        told("fitting", readings + done, 2 * readings)
        fits.append(_fit(connection, outcomes, reading, usable_rows, options))
    return Regression(
        options=options,
        fits=fits,
        ranges=_ranges([one for one in fits if one.reader not in (None, "final")]),
        left_out=left_out,
        notes=[
            *outcomes.notes,
            *grade_notes(connection, options.question, options.where),
            *_warnings(outcomes, usable_rows, options.measures),
        ],
        invalid=count_left_out(connection, options.where),
        disputed=count_disputed(connection, options.where),
    )


def _usable(outcomes: Outcomes, measures: Sequence[str], first: int) -> tuple[set[int], dict[str, int]]:
    """Return the places of the rows whose measures have logarithms, and by measure how many have none."""
    rows, left_out = set(range(len(outcomes.observations))), dict.fromkeys(measures, 0)
    for place, one in enumerate(outcomes.observations):
        for at, name in enumerate(measures, first):
            if not usable(one.values[at], name):
                left_out[name] += 1
                rows.discard(place)
    if not rows:
        raise InputError("no completed response has all of the measures with a value above 0.", hint="See --measures.")
    return rows, {name: count for name, count in left_out.items() if count}


def _fit(
    connection: sqlite3.Connection, outcomes: Outcomes, reading: Reading, usable_rows: set[int], options: RegressOptions
) -> FittedReading:
    places = [place for place in reading.values if place in usable_rows]
    rows: list[tuple[Scalar, ...]] = [outcomes.observations[place].values for place in places]
    design = build_design(connection, rows, options.factors, options.measures, options.references)
    clusters = [outcomes.observations[place].cluster for place in places]
    outcome = [reading.values[place] for place in places]
    fit = cluster_logit(outcome, design.columns, design.values, clusters, options.confidence)
    return FittedReading(reading.name, fit, design)


def _ranges(fits: Sequence[FittedReading]) -> list[TermRange]:
    """Return each coefficient's range over the readings that have it."""
    fitted = [one.fit for one in fits if one.fit.terms]
    if len(fitted) < 2 or len({tuple(term.name for term in one.terms) for one in fitted}) > 1:
        return []
    found = []
    for terms in zip(*(one.terms for one in fitted), strict=True):
        values = [term.coefficient for term in terms]
        lows = [term.low for term in terms if term.low is not None]
        highs = [term.high for term in terms if term.high is not None]
        whole = len(lows) == len(terms)
        ends = (min(lows), max(highs)) if whole else (None, None)
        found.append(TermRange(terms[0].name, min(values), max(values), *ends))
    return found


def _warnings(outcomes: Outcomes, rows: set[int], measures: Sequence[str]) -> list[str]:
    languages = sorted({str(outcomes.observations[place].values[-1]) for place in rows})
    if len(languages) < 2 or not set(measures) & set(MEASURES):
        return []
    told = f"These rows mix {', '.join(visible_line(one, 30) for one in languages)}, whose executions are measured"
    return [f"{told} in different units: narrow them with --where language:{visible_line(languages[0], 30)}."]


def left_out_words(left_out: Mapping[str, int]) -> list[str]:
    """Say which responses are left out for want of a measure, a sentence each."""
    return [
        f"Left out: {counted(count, 'response')} without a {visible_line(name, 40)} above 0, which has no logarithm."
        for name, count in left_out.items()
    ]
