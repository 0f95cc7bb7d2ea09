"""Associations laid out as tables, with exact records and the sentences that belong under them."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.audit.associate import Associations, Series, Summary
from auditor.audit.doubts import doubts
from auditor.audit.layouts import LaidOut, LayoutTable
from auditor.audit.outcomes import as_read_by
from auditor.audit.regression_layout import shown_p
from auditor.model import Scalar
from auditor.text import counted

_TO = "\u2013"
_NAMED = 8
"""How many inestimable series of one reason are named in a sentence."""


def associations_laid_out(found: Associations) -> LaidOut:
    """Lay out the series of an association, and a summary a measure."""
    names = list(found.options.by)
    several = len({one.reader for one in found.series}) > 1
    who = ["reader"] if several else []
    columns = ["measure", *names, *who, "failures", "successes", "θ", "p", "p adjusted"]
    rows = [_series_row(one, several) for one in found.series if one.association.theta is not None]
    count = len(names) + 1 + several
    outcome = found.options.question.outcome
    tables = [LayoutTable(f"Association of measures with {outcome}, by series", columns, rows, count)] if rows else []
    heads = ("measure", *who, "series", "estimable", "supported", "θ range", "in the family", "rejected")
    lines = [_summary_row(one, several) for one in found.summaries]
    tables.append(LayoutTable("Association by measure", heads, lines, 1 + several))
    return LaidOut(tables, [series_record(one, names) for one in found.series], association_notes(found))


def _series_row(one: Series, several: bool) -> list[str]:
    found = one.association
    adjusted = "-" if not one.in_family else shown_p(one.adjusted)
    who = [one.reader or ""] if several else []
    group = ["(none)" if value is None else str(value) for value in one.group]
    numbers = [f"{found.n_failures:,}", f"{found.n_successes:,}", f"{found.theta:.3f}", shown_p(found.p), adjusted]
    return [one.measure, *group, *who, *numbers]


def _summary_row(one: Summary, several: bool) -> list[str]:
    spread = "-" if one.least is None else f"{one.least:.2f}{_TO}{one.most:.2f}"
    counts = (one.series, one.estimable, one.supported)
    who = [one.reader or ""] if several else []
    return [one.measure, *who, *map(str, counts), spread, str(one.family), str(one.rejected)]


def series_record(one: Series, names: Sequence[str]) -> dict[str, Scalar]:
    """Return a series as a flat record with exact numbers."""
    return {**dict(zip(names, one.group, strict=True)), **_numbers(one)}


def _numbers(one: Series) -> dict[str, Scalar]:
    found = one.association
    return {
        "measure": one.measure,
        "reader": one.reader,
        "failures": found.n_failures,
        "successes": found.n_successes,
        "clusters": one.clusters,
        "without_measure": one.without_measure,
        "theta": found.theta,
        "at_least": found.at_least,
        "p": found.p,
        "in_family": one.in_family,
        "p_adjusted": one.adjusted,
        "rejected": one.rejected,
        "supported": one.supported,
        "reason": found.reason,
    }


def association_notes(found: Associations) -> list[str]:
    """Return what a reader must know of associations, a sentence each."""
    options = found.options
    apart = ", for each reader on their own" if len({one.reader for one in found.series}) > 1 else ""
    inside = [one for one in found.series if one.in_family]
    estimable = sum(one.association.p is not None for one in inside)
    told = [
        "θ: the chance that the measure of a response with the outcome exceeds that of one without, ties half."
        f" One-sided p: (1 + shuffles with at least that θ) / {options.replicates + 1:,}, {options.replicates:,}"
        f" shuffles, {found.generator}, seed {options.seed}.",
        f"The family: {options.family or 'all series'}; {counted(estimable, 'estimable test')},"
        f" {sum(one.rejected for one in found.series)} with an adjusted p of at most {options.alpha:g}"
        f" (Benjamini and Hochberg{apart}). Supported: θ above 0.5 and unadjusted p below 0.05.",
    ]
    told += _inestimable(found)
    without = sum(one.without_measure for one in found.series)
    if without:
        told.append(f"Left out: {without:,} times a response has no value of a measure.")
    if found.repeated:
        told.append(
            f"In {found.repeated:,} of {counted(len(found.series), 'test')} some source has several rows; the test"
            " takes rows for independent, so do not trust its p there. Leave one row of each source: one session"
            " (--where sample:0), arm in --by, no study that runs one source on many inputs."
        )
    return [*told, *found.notes, *doubts(found.invalid, found.disputed)]


def _inestimable(found: Associations) -> list[str]:
    """Name the inestimable series, those of one reason together."""
    named: dict[str, dict[str, list[str]]] = {}
    for one in found.series:
        if one.association.reason is not None:
            group = ["(none)" if value is None else str(value) for value in one.group]
            name = f"{' '.join(group) or 'all responses'}{as_read_by(one.reader)}"
            named.setdefault(one.association.reason, {}).setdefault(name, []).append(one.measure)
    told = []
    for reason, groups in named.items():
        every = len(found.options.measures)
        names = [name if len(own) == every else f"{name} ({', '.join(own)})" for name, own in groups.items()]
        tests = sum(map(len, groups.values()))
        count = f"{tests:,} of {counted(len(found.series), 'test')}, {counted(len(groups), 'series', 'series')}"
        more = f"; and {len(names) - _NAMED:,} more, which --json lists" if len(names) > _NAMED else ""
        told.append(f"{reason.removesuffix('.')}, in {count}: {'; '.join(names[:_NAMED])}{more}.")
    return told


def associations_json(found: Associations) -> dict[str, object]:
    """Return associations as one JSON document."""
    options = found.options
    return {
        "outcome": options.question.outcome,
        "measures": list(options.measures),
        "by": list(options.by),
        "where": options.where,
        "family": options.family or None,
        "alpha": options.alpha,
        "replicates": options.replicates,
        "seed": options.seed,
        "generator": found.generator,
        "series": [{"group": list(one.group), **_numbers(one)} for one in found.series],
        "summaries": [one._asdict() for one in found.summaries],
        "repeated": found.repeated,
        "notes": found.notes,
        "invalid": found.invalid,
        "disputed": found.disputed,
    }
