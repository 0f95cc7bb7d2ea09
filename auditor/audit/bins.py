"""Groups of about as many responses in the place of a measure's single values, which are often all different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from auditor.errors import InputError
from auditor.store.cells import ClusterCounts, Group
from auditor.text import visible_line

_MOST_VALUES = 50
"""Values of a numeric dimension that each get a row without being asked for."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """Counts by groups, and what became of each value of each dimension."""

    counts: Sequence[ClusterCounts]
    labels: dict[int, dict[object, str]] = field(default_factory=dict)
    """By the place of the dimension and by value."""

    def label(self, group: Group, start: int) -> Group:
        """Return a group's values with labels in the place of numbers; its first dimension is that at `start`."""
        found = []
        for place, value in enumerate(group, start):
            labels = self.labels.get(place, {})
            found.append(labels[value] if _is_number(value) and value in labels else value)
        return tuple(found)


def binned(counts: Sequence[ClusterCounts], names: Sequence[str], bins: int | None) -> Grouping:
    """Put the values of each numeric dimension that has more of them into so many bins, by quantiles.

    A bin holds whole values: the least ones that come to its share of the planned responses, at least one.
    Raises InputError where a dimension has very many numbers and no bins are asked for.
    """
    labels: dict[int, dict[object, str]] = {}
    for place, name in enumerate(names):
        weights: Counter[int | float] = Counter()
        for count in counts:
            if _is_number(count.group[place]):
                weights[count.group[place]] += count.planned
        if bins is None and len(weights) > _MOST_VALUES:
            raise InputError(
                f"{visible_line(name, 60)} has {len(weights):,} values, too many for a table.",
                hint="Give --bins 4 for four groups of about as many responses.",
            )
        if bins is not None and len(weights) > bins:
            labels[place] = _labels(weights, bins)
    if not labels:
        return Grouping(counts)
    grouping = Grouping(counts, labels)
    sums: dict[tuple[Group, int], list[int]] = {}
    for count in counts:
        numbers = sums.setdefault((grouping.label(count.group, 0), count.cluster), [0, 0, 0, 0])
        for at, number in enumerate((count.correct, count.completed, count.planned, count.ungraded)):
            numbers[at] += number
    return Grouping([ClusterCounts(group, cluster, *four) for (group, cluster), four in sums.items()], labels)


def _labels(weights: Counter[int | float], bins: int) -> dict[object, str]:
    values, total = sorted(weights), weights.total()
    found: list[list[int | float]] = [[]]
    below = 0
    for at, value in enumerate(values):
        left, open_bins = len(values) - at, bins - len(found)
        full = below * bins >= total * len(found) or left <= open_bins
        if found[-1] and full and open_bins:
            found.append([])
        found[-1].append(value)
        below += weights[value]
    return {value: _span(part) for part in found for value in part}


def _span(values: Sequence[int | float]) -> str:
    first, last = values[0], values[-1]
    return short_number(first) if first == last else f"{short_number(first)}..{short_number(last)}"


def short_number(value: int | float) -> str:
    """Return a number as it is written, a whole one without decimals."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
