"""Which of the proposed probes become a problem's: deep ones that differ in what they ask and whom they ask about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from auditor.studies.core.probes import Probe


class Proposed(NamedTuple):
    """A probe of a case."""

    implementation: str
    test: str
    probe: Probe


def chosen(proposed: Iterable[Proposed], count: int) -> list[Proposed]:
    """Return at most so many probes, the deepest first.

    One after the other the probe is taken whose kind was taken least, then whose implementation was, then whose
    dimensions were, and of those the deepest. None asks about a variable, or a line without one, about which an earlier
    one of the same implementation asks.
    """
    left = list(proposed)
    taken: list[Proposed] = []
    kinds: Counter[str] = Counter()
    implementations: Counter[str] = Counter()
    dimensions: Counter[str] = Counter()
    answers: Counter[str] = Counter()

    def worth(one: Proposed) -> tuple[float, ...]:
        spread = sum(dimensions[name] for name in one.probe.dimensions) / len(one.probe.dimensions)
        said = answers[repr(one.probe.answer.value)]
        return (-kinds[one.probe.kind], -implementations[one.implementation], -said, -spread, one.probe.depth)

    while left and len(taken) < count:
        best = max(left, key=worth)
        taken.append(best)
        kinds[best.probe.kind] += 1
        implementations[best.implementation] += 1
        dimensions.update(best.probe.dimensions)
        answers[repr(best.probe.answer.value)] += 1
        left = [one for one in left if _asked(one) != _asked(best)]
    return sorted(taken, key=lambda one: (-one.probe.depth, one.implementation, one.test, one.probe.line))


def _asked(one: Proposed) -> tuple[str, str | int]:
    return one.implementation, one.probe.line if one.probe.variable is None else one.probe.variable
