"""What a blind review hides and what it refuses: the one place that every screen and command asks.

Decisions only, over values: no SQL, no screen. What can be seen by its content alone (a reply that names its model, a
program that prints a state) is not hidden, because the item could not be reviewed without it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace

from auditor.audit.asked_probe import told_in_blind
from auditor.audit.review_answers import QueueRow
from auditor.model import Finding, ReviewState
from auditor.store.queue import ReviewItem
from auditor.text import visible_line

SHOWN = frozenset({"study", "case", "language", "lines", "loc", "sample", "oracle", "prediction"})
"""The dimensions that a blind review shows of every item. All others are hidden: also each facet and measure, since
one of those can have a value for each arm or setting."""
OTHERS_WORK = frozenset({"annotator", "bookmarked", "decision", "held", "revealed", "stale", "state", "tag"})
"""Dimensions that speak of what anybody did with an item."""
DEFAULT_ORDER = "smallest"
"""The order of a review that is not blind."""
ORDER = "random"
"""The order of a blind review: any other says something about arm, setting, computed mode or others' work."""
_NOTHING = Finding("", "")
_UNORDERED = "Leave --order out."


def hidden_dimensions(known: Iterable[str], *, blind: bool, again: bool = False) -> frozenset[str]:
    """Return which of the dimensions that a file knows no list of items shows, and no filter over them speaks of.

    A second pass over own items hides what was done with them, be it blind or not.
    """
    if blind:
        return OTHERS_WORK.union(known) - SHOWN
    return OTHERS_WORK if again else frozenset()


def veil_item(item: ReviewItem, hidden: frozenset[str]) -> ReviewItem:
    """Return an item without what is hidden, so that nothing that shows the item can show that."""
    key = item.key._replace(arm="", setting="")
    task = replace(item.task, arm="", facets={}, measures={}, prompt=None, extra=told_in_blind(item.task))
    response = replace(item.response, key=key, extra={})
    grade = item.grade and replace(item.grade, extraction="", finding=_NOTHING, others=(), note=None)
    return replace(item, key=key, task=task, response=response, grade=grade, hidden=hidden)


def veil_row(row: QueueRow) -> QueueRow:
    """Return a row of the queue without what a blind review hides."""
    return replace(row, arm="", setting="", status=None, mode=None)


def why_not_shown(hidden: frozenset[str], what: str) -> str | None:
    """Say why something cannot be shown beside an item of which these dimensions are hidden; None when it can.

    `what` begins the sentence: `The arms`, `The prompt`.
    """
    if not hidden:
        return None
    return f"{what} would show what this blind review hides: review the item and reveal it first."


def why_no_strip(*, blind: bool) -> str | None:
    """Say why the consistency of a problem is not shown in a blind review: it has the verdicts of many items."""
    if not blind:
        return None
    return "Consistency shows whose items are right, and this review is blind: see it when the review is done."


def why_not_filtered(hidden: frozenset[str], mentioned: Iterable[str]) -> str | None:
    """Say why a filter or a column that speaks of these dimensions is refused while some are hidden; None when not."""
    told = sorted(name for name in mentioned if name in hidden or name.removeprefix("facet:") in hidden)
    if not told:
        return None
    return f"{told[0]} is hidden in this review: it would show in what is left."


def why_not_begun(mentioned: Iterable[str], order: str) -> tuple[str, str] | None:
    """Say why a blind review, or one of own items again, cannot begin with a filter and an order, and what to do.

    A person who begins a review says with a filter which items it is about, so that may speak of arms and settings;
    what anybody did with the items it may not, and the order must tell nothing. None when it can begin.
    """
    told = sorted(OTHERS_WORK.intersection(mentioned))
    if told:
        problem = f"a blind review cannot be filtered by {told[0]}, which tells what was said of the items before."
        return problem, "Filter by what the items are, not by what was done with them."
    if order != ORDER:
        return (
            f"a blind review goes in random order: {visible_line(order, 40)} tells something of the items.",
            _UNORDERED,
        )
    return None


def order_and_seed(order: str | None, seed: int, annotator: str, *, blind: bool) -> tuple[str, int]:
    """Return the order that was asked for or else the default one, and the seed of a random one."""
    if blind:
        return order or ORDER, own_seed(annotator, seed)
    return order or DEFAULT_ORDER, seed


def needs_second_asking(review_state: ReviewState) -> bool:
    """Say whether a reveal is asked for twice: before an item is reviewed its marks are no longer blind then."""
    return review_state is not ReviewState.REVIEWED


def own_seed(annotator: str, seed: int) -> int:
    """Return the seed of an annotator's own random order: another one for each name, the same at every opening."""
    digest = hashlib.sha256(json.dumps([annotator, seed]).encode("ascii")).digest()
    return int.from_bytes(digest[:4], "big")
