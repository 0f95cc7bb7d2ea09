"""Which of the proposed probes become a problem's: deep ones that differ in what they ask and whom they ask about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from auditor.studies.core.probes import Probe


class Proposed(NamedTuple):
    """A probe of a case."""

    implementation: str
    test: str
    probe: Probe


def chosen(proposed: Iterable[Proposed], count: int, written: Sequence[Proposed] = ()) -> list[Proposed]:
    """Return what was written and so many of what is proposed that there are at most `count`, the deepest first.

    One after the other the probe is taken whose kind was taken least, then whose implementation was, then whose
    dimensions were, and of those the deepest. None asks about a variable, or a line without one, about which an earlier
    one of the same implementation asks.
    """
    left, taken = list(proposed), list(written)
    kinds = Counter(one.probe.kind for one in taken)
    implementations = Counter(one.implementation for one in taken)
    dimensions = Counter(name for one in taken for name in one.probe.dimensions)
    answers = Counter(repr(one.probe.answer.value) for one in taken)
    about = {_asked(one) for one in taken}
    left = [one for one in left if _asked(one) not in about]

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
