"""The one order of events that were written apart: after what each was written after, and else by time and UUID.

The order of some events stays the same whatever others come to them: a new one takes its place between them. So it does
not matter in which order files are merged, or how often.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple


class Placed(NamedTuple):
    """What the place of an event depends on."""

    at: str
    uuid: str
    follows: int | None
    """The index of the event that it was written after; None = it is the annotator's first on the item."""


def canonical_order(events: Sequence[Placed]) -> list[int]:
    """Return the indices of events in their order: of those whose predecessor is there always the earliest."""
    order = sorted(range(len(events)), key=lambda index: (events[index].at, events[index].uuid))
    place = {index: number for number, index in enumerate(order)}
    if all(e.follows is None or place[e.follows] < place[i] for i, e in enumerate(events)):
        return order
    # Clocks were set back: a place by time alone would come before what the event was written after.
    children: dict[int, list[int]] = {}
    for index, event in enumerate(events):
        if event.follows is not None:
            children.setdefault(event.follows, []).append(place[index])
    ready = [place[index] for index, event in enumerate(events) if event.follows is None]
    heapify(ready)
    found = []
    while ready:
        index = order[heappop(ready)]
        found.append(index)
        for child in children.get(index, ()):
            heappush(ready, child)
    return found
