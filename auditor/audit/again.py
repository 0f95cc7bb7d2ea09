"""Own items once more, as fresh ones: a second pass whose marks stand beside the first, to measure how far both agree.

The second pass is an annotator of its own, `ana#2`, that the audit file links to the person: nothing of the first pass
is on its screen, nothing that it marks changes the first, and nothing counts it as another person.
"""

from __future__ import annotations

import re
import sqlite3
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from auditor.audit.codebooks import codebook_for_queue
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.model import pass_name
from auditor.store.annotators import find_annotator, find_codebook_in_file
from auditor.store.passes import reviewed_times, touched_responses
from auditor.store.selection import matching_responses
from auditor.text import counted, visible_line

WAIT = timedelta(days=1)
"""How long an item rests before it comes back, unless the person wants it now."""
_AMOUNT = re.compile(r"(?P<number>[0-9]{1,9}(\.[0-9]{1,9})?)(?P<percent>\s*%)?")


class Again(NamedTuple):
    """How many of the own reviewed items come back."""

    share: Fraction | None
    """Of those that the filter leaves; rounded up, and at least one item."""
    items: int | None
    at_once: bool = False
    """Whether also those that were reviewed less than a day ago come back."""

    def of(self, reviewed: int) -> int:
        """Return how many of so many items that is."""
        wanted = self.items if self.share is None else ceil(self.share * reviewed)
        return min(max(1, wanted or 0), reviewed)

    @property
    def words(self) -> str:
        """Return what was asked for: `5%`, `12`."""
        return str(self.items) if self.share is None else f"{float(100 * self.share):g}%"


class AgainQueue(NamedTuple):
    """The items of a second pass."""

    ids: list[int]
    codebook: Codebook
    reviewed: int
    """Items that the person has reviewed and the filter leaves."""


def parse_again(text: str, *, at_once: bool = False) -> Again:
    """Read `5%` or `12`; raises InputError for anything else."""
    found = _AMOUNT.fullmatch(text.strip())
    amount = Fraction(found["number"]) if found else Fraction(0)
    if found and found["percent"] and 0 < amount <= 100:
        return Again(amount / 100, None, at_once)
    if found and not found["percent"] and amount >= 1 and amount.denominator == 1:
        return Again(None, int(amount), at_once)
    raise InputError(
        f"--again {visible_line(text, 40)}: this is no share and no number of items.",
        hint="Write e.g. --again 5% or --again 12.",
    )


def second_pass(person: str) -> str:
    """Return the annotator of a person's second pass."""
    return pass_name(person, 2)


def again_queue(
    connection: sqlite3.Connection, person: str, codebook: str | None, where: str, seed: int, again: Again
) -> AgainQueue:
    """Draw a second pass from a person's reviewed items, in random order; what the pass has begun stays in it.

    The same seed draws the same items again, and others only as more are reviewed. Raises InputError when there is
    nothing to draw from.
    """
    ids = matching_responses(connection, where, "random", seed=seed, notes=False, subjects=True)
    book = codebook_for_queue(connection, ids, codebook) if ids else None
    stored = find_codebook_in_file(connection, book.name) if book else None
    person_id = find_annotator(connection, person)
    times = reviewed_times(connection, person_id, stored.id) if stored and person_id is not None else {}
    reviewed = [row for row in ids if row in times]
    if not reviewed or book is None or stored is None:
        raise InputError(
            f"{visible_line(person, 60)} has reviewed nothing that {visible_line(where or 'everything', 60)!r} leaves,"
            " so nothing can be reviewed again.",
            hint="Review first, or widen the filter with --where.",
        )
    pass_id = find_annotator(connection, second_pass(person))
    begun = touched_responses(connection, pass_id, stored.id).intersection(ids) if pass_id is not None else set()
    before = datetime.now(UTC) - WAIT
    rested = [row for row in reviewed if row not in begun and (again.at_once or _time(times[row]) <= before)]
    drawn = begun.union(rested[: max(0, again.of(len(reviewed)) - len(begun))])
    if not drawn:
        first = min(_time(time) for time in times.values()) + WAIT
        raise InputError(
            f"{visible_line(person, 60)} reviewed {counted(len(reviewed), 'item')} less than a day ago and none before:"
            f" the first can be reviewed again from {first.astimezone():%Y-%m-%d %H:%M} on.",
            hint="Add --now to review some again at once.",
        )
    return AgainQueue([row for row in ids if row in drawn], book, len(reviewed))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
