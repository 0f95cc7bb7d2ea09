"""Paired transitions laid out as tables, with an exact record and the sentences that belong under them."""

from __future__ import annotations

from dataclasses import asdict

from auditor.analysis import FEW_CLUSTERS
from auditor.audit.doubts import doubts
from auditor.audit.layouts import LaidOut, LayoutTable
from auditor.audit.transitions import Transitions

_MOST_CROSSED = 12
"""Sessions of a case up to which a table of both sides can be read."""


def transitions_laid_out(found: Transitions, from_where: str, to_where: str) -> LaidOut:
    """Lay out how verdicts change, and how many sessions are right where there are several."""
    yes, no = ("correct", "wrong") if found.outcome is None else ("with", "without")
    rows = [
        [f"from: {yes}", f"{found.both_correct:,}", f"{found.correct_to_wrong:,}"],
        [f"from: {no}", f"{found.wrong_to_correct:,}", f"{found.both_wrong:,}"],
    ]
    what = "" if found.outcome is None else f": {found.outcome}"
    tables = [LayoutTable(f"From {from_where} to {to_where}{what}", ("", f"to: {yes}", f"to: {no}"), rows)]
    if found.sessions:
        tables.append(_sessions(found))
    record = {name: value for name, value in asdict(found).items() if name not in ("sessions", "notes")}
    return LaidOut(tables, [{"from": from_where, "to": to_where, **record}], transition_notes(found))


def _sessions(found: Transitions) -> LayoutTable:
    """Lay out how many sessions of a case are right on each side: crossed where each case has as many, else listed."""
    what = "Right sessions" if found.outcome is None else "Sessions with the outcome"
    numbers = {(one.from_sessions, one.to_sessions) for one in found.sessions}
    if len(numbers) > 1 or max(map(max, numbers)) > _MOST_CROSSED:
        listed = [
            [f"{one.from_correct} of {one.from_sessions}", f"{one.to_correct} of {one.to_sessions}", f"{one.cases:,}"]
            for one in found.sessions
        ]
        return LayoutTable(what, ("from", "to", "cases"), listed, 2)
    ((of_from, of_to),) = numbers
    cases = {(one.from_correct, one.to_correct): one.cases for one in found.sessions}
    crossed = [
        [f"from: {first} of {of_from}", *(f"{cases.get((first, second), 0):,}" for second in range(of_to + 1))]
        for first in range(of_from + 1)
    ]
    heads = ("", f"to: 0 of {of_to}", *map(str, range(1, of_to + 1)))
    return LayoutTable(f"{what}: how many cases have how many", heads, crossed)


def transition_notes(found: Transitions) -> list[str]:
    """Return the difference with its interval, and what a reader must know of it, a sentence each."""
    told = [f"Pairs: {found.pairs:,}. Clusters: {found.clusters:,}. Replies without a partner: {found.unpaired:,}."]
    if found.difference is None:
        told.append(f"The difference is undefined. {found.reason or ''}")
    else:
        interval = "no interval."
        if found.ci_low is not None:
            ends = f"[{found.ci_low:z.2f}, {found.ci_high:z.2f}]".replace("-", "−")
            interval = (
                f"{100 * found.confidence:.4g} % interval {ends}"
                f" ({found.replicates:,} replicates of whole clusters, percentiles, {found.generator},"
                f" seed {found.seed})."
            )
        difference = f"{found.difference:+z.2f}".replace("-", "−")
        told.append(f"Difference, from minus to: {difference} points, {interval}")
        if found.reason:
            told.append(found.reason)
        if found.ci_low is not None and found.clusters < FEW_CLUSTERS:
            told.append(
                f"Only {found.clusters} clusters: a percentile interval from fewer than {FEW_CLUSTERS} is too narrow on"
                " average."
            )
    if found.sessions:
        told.append(
            "Sessions of a case are paired by their number; k of n counts those that have a reply. A case counts once"
            " for each setting, or whatever else its pairs share."
        )
    return [*told, *found.notes, *doubts(found.invalid, found.disputed)]
