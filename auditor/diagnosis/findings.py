"""Tell what a search found as computed failure modes with evidence."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.diagnosis.fault import Fault, shown
from auditor.diagnosis.iterations import OtherIteration, StaleField, States
from auditor.diagnosis.search import Group, Search
from auditor.diagnosis.updates import StaleUpdate
from auditor.execution.claims import state_of
from auditor.model import Finding, Span
from auditor.text import counted, visible_line

MODES = ("other_iteration", "stale_value", "counterfactual")
"""The modes that are found here, the most specific first."""
_SHOWN = 5
"""Faults that are told one by one; the others are counted."""


def iteration_finding(found: OtherIteration, states: States, prediction: str) -> Finding:
    """Tell that the prediction is another iteration's state."""
    distance = counted(abs(found.offset), "iteration")
    words = f"The prediction is the state before iteration {found.iteration:,}"
    words += f", {distance} {'before' if found.offset < 0 else 'after'} the checkpoint (iteration {states.at + 1:,})"
    if found.matches > 1:
        words += f"; {found.matches:,} of the {found.total:,} iterations compared have it"
    words += f": {visible_line(found.state, 200)}"
    return Finding("other_iteration", words, None, Span(0, len(prediction)), f"{found.offset:+}")


def stale_finding(found: tuple[StaleField, ...], prediction: str) -> Finding:
    """Tell which fields have the value from before an update."""
    parts = [
        f"field {visible_line(each.field, 40)} is {visible_line(each.predicted, 80)}, which it was"
        f" {counted(-each.offset, 'iteration')} earlier and no more since (now {visible_line(each.right, 80)})"
        for each in found
    ]
    words = f"A value before its update; the other fields are right: {'; '.join(parts)}."
    return Finding(
        "stale_value", words, None, Span(0, len(prediction)), ", ".join(visible_line(each.field, 40) for each in found)
    )


def update_finding(found: tuple[StaleUpdate, ...], prediction: str) -> Finding:
    """Tell which fields have the value from before the last line that changed them."""
    others = state_of(prediction) or {}
    words = f"A value before its update{'; the other fields are right' if len(others) > len(found) else ''}"
    parts = [
        f"field {visible_line(each.field, 40)} is {visible_line(each.predicted, 80)}, {_until(each)}" for each in found
    ]
    return Finding(
        "stale_value",
        f"{words}: {'; '.join(parts)}.",
        None,
        Span(0, len(prediction)),
        ", ".join(visible_line(each.field, 40) for each in found),
    )


def _until(each: StaleUpdate) -> str:
    right = visible_line(each.right, 80)
    ago = f", {counted(each.steps, 'step')} before the checkpoint" if each.steps else ""
    if each.line is None:
        return f"which it was until it became {right}{ago}"
    return f"which it was until line {each.line} ({shown(each.code)}) made it {right}{ago}"


def fault_finding(found: Search, prediction: str) -> Finding | None:
    """Tell which single faults give the prediction; one is called the cause only where nothing else fits."""
    if not found.groups:
        return None
    cause, faults = found.cause, found.faults
    if cause is not None:
        words = f"{cause.sentence} No other single fault gives it ({found.extent})."
        if len(faults) > 1:
            words = f"{cause.sentence} So it does by {counted(len(faults) - 1, 'like change')} of that line, and by no"
            words += f" other single fault ({found.extent})."
        detail = f"{cause.kind}{f', line {cause.line}' if cause.line else ''}"
        return Finding("counterfactual", words, None, Span(0, len(prediction)), detail)
    return Finding("counterfactual", " ".join(_open(found)), None, Span(0, len(prediction)), _detail(found))


def _open(found: Search) -> Iterator[str]:
    """Yield the sentences for faults none of which is called the cause."""
    count = len(found.groups)
    if count == 1:
        yield found.groups[0].faults[0].sentence
        others = found.groups[0].faults[1:]
        if others:
            yield f"These cannot be told apart from it: {_list(others)}."
    else:
        yield f"The prediction is exactly what the program gives by any of {count:,} single faults:"
        yield f"if {_groups(found.groups)}."
    if found.weak:
        yield "Many mistakes may lead to such an answer, so this is weak evidence."
    elif len(found.faults) > 1:
        yield "Which of them it was cannot be said."
    yield f"{found.extent[:1].upper()}{found.extent[1:]}."


def _groups(groups: tuple[Group, ...]) -> str:
    """Name the groups; those faults of a group that cannot be told apart from its first stand in parentheses."""
    words = []
    for group in groups[:_SHOWN]:
        first, *others = group.faults
        alike = f" (not to be told apart: if {_list(others)})" if others else ""
        words.append(first.clause + alike)
    more = f"; and {len(groups) - _SHOWN:,} more" if len(groups) > _SHOWN else ""
    return "; if ".join(words) + more


def _list(faults: list[Fault] | tuple[Fault, ...]) -> str:
    words = "; if ".join(fault.clause for fault in faults[:_SHOWN])
    return words + (f"; and {len(faults) - _SHOWN:,} more" if len(faults) > _SHOWN else "")


def _detail(found: Search) -> str:
    number = counted(len(found.groups), "fault")
    return f"{number}, weak" if found.weak else number
