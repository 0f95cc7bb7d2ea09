"""What an audit comes to: the final value of each tag, where it comes from, who decided it and when.

An item has final values when nothing of it is open: all agree, or what they differed on is decided. One with an open
tag has none at all, since a tag that is missing there would read as absent.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from auditor.model import join_key
from auditor.store.adjudicable import ItemFacts, chosen_items, item_facts
from auditor.store.changes import PRESENT
from auditor.store.decisions import (
    ADJUDICATED,
    STALE,
    UNANIMOUS,
    UNRESOLVED,
    Standing,
    decided_codebooks,
    item_states,
    judged_codebooks,
    load_standings,
)

_ITEMS_AT_ONCE = 1_000
NO_TAG = "none"
"""What is decided of an item on which no tag is, and nothing was in question."""


class FinalRecord(NamedTuple):
    """The final value of a tag of an item; or that it has no tag, where nobody put any."""

    item: str
    study: str
    case: str
    arm: str
    setting: str
    sample: int
    codebook: str
    tag: str | None
    decision: str
    """`present`, `absent` or `unresolved`; `none` where the item has no tag."""
    source: str
    """`unanimous`, `adjudicated` or `unresolved`."""
    decided_by: str
    """The adjudicator; of what is unanimous the annotators, joined by `/`."""
    at: str
    """When it was decided; of what is unanimous when the last of them reviewed the item."""
    revision: int | None
    """Of the codebook, when it was decided."""
    note: str
    annotators: str
    """Who reviewed the item, joined by `/`."""
    put_by: str
    """Who of them put the tag."""
    stale: bool
    """Whether a mark that it was decided on has changed since."""


class _FinalItem(NamedTuple):
    response_id: int
    facts: ItemFacts
    standing: Standing


@dataclass(slots=True)
class Finals:
    """The final items of one codebook that a filter leaves."""

    codebook_id: int
    codebook: str
    counts: Counter[str] = field(default_factory=Counter)
    """All items that somebody reviewed, by how they stand."""
    ids: list[int] = field(default_factory=list)
    """Row ids of the final ones."""

    def items(self, connection: sqlite3.Connection) -> Iterator[_FinalItem]:
        """Read the final items in the order of their names."""
        facts = item_facts(connection, self.ids)
        ordered = sorted(self.ids, key=lambda row: facts[row].key)
        for start in range(0, len(ordered), _ITEMS_AT_ONCE):
            part = ordered[start : start + _ITEMS_AT_ONCE]
            standings = load_standings(connection, self.codebook_id, part)
            for row in part:
                yield _FinalItem(row, facts[row], standings[row])


def finals(
    connection: sqlite3.Connection, where: str = "", *, decided_only: bool = False, unresolved: bool = False
) -> list[Finals]:
    """Find the items that have final values, by codebook; items with something `unresolved` only where asked for.

    `decided_only` leaves out codebooks under which nothing is decided. Raises InputError for an unusable filter.
    """
    found = []
    for codebook_id, name in decided_codebooks(connection) if decided_only else judged_codebooks(connection):
        states = item_states(connection, codebook_id)
        finally_ = Finals(codebook_id, name)
        for row in chosen_items(connection, list(states), where):
            state = states[row][0]
            finally_.counts[state] += 1
            if state in (UNANIMOUS, ADJUDICATED, STALE) or (unresolved and state == UNRESOLVED):
                finally_.ids.append(row)
        found.append(finally_)
    return found


def final_records(connection: sqlite3.Connection, found: Sequence[Finals]) -> Iterator[FinalRecord]:
    """Read one record a tag that an item has or that something is decided of; one for an item without any."""
    for one in found:
        for item in one.items(connection):
            yield from _records(one.codebook, item)


def _records(codebook: str, item: _FinalItem) -> Iterator[FinalRecord]:
    key, standing = item.facts.key, item.standing
    everyone = join_key([voice.annotator for voice in standing.voices])
    last = max((voice.at for voice in standing.voices), default="")
    names = (str(key), *key, codebook)
    tags = sorted(standing.tags())
    if not tags:
        yield FinalRecord(*names, None, NO_TAG, UNANIMOUS, everyone, last, None, "", everyone, "", False)
    for tag in tags:
        put_by = join_key([voice.annotator for voice in standing.voices if tag in voice.tags])
        decision = standing.decisions.get(tag)
        if decision is None:
            who: tuple[str, str, int | None, str] = (everyone, last, None, "")
            yield FinalRecord(*names, tag, PRESENT, UNANIMOUS, *who, everyone, put_by, False)
        else:
            ruling = decision.ruling
            who = (decision.adjudicator, decision.at, decision.revision, ruling.note)
            source, stale = standing.source(tag), standing.is_stale(tag)
            yield FinalRecord(*names, tag, ruling.verdict, source, *who, everyone, put_by, stale)


@dataclass(slots=True)
class DecidedCounts:
    """How often each tag is there in the end, over the items that have final values."""

    items: int
    counts: Counter[str]
    """All items that somebody reviewed, by how they stand."""
    adjudicators: list[str] = field(default_factory=list)
    tags: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    """Of these, where all annotators put the tag and nobody decided it."""
    clusters: dict[str, set[int]] = field(default_factory=dict)
    exemplars: dict[str, tuple[int, ItemFacts]] = field(default_factory=dict)
    """By tag the item with the smallest program, by row id."""


def decided_counts(connection: sqlite3.Connection, where: str = "") -> dict[str, DecidedCounts]:
    """Count final values by codebook, where there are some on items that are left and something is decided."""
    found = {}
    for one in finals(connection, where, decided_only=True):
        if not one.ids or not any(one.counts[state] for state in (ADJUDICATED, STALE, UNRESOLVED)):
            continue
        counted = found[one.codebook] = DecidedCounts(len(one.ids), one.counts)
        who: dict[str, None] = {}
        for item in one.items(connection):
            standing = item.standing
            who |= dict.fromkeys(decision.adjudicator for decision in standing.decisions.values())
            for tag in standing.tags():
                decision = standing.decisions.get(tag)
                if decision is not None and decision.ruling.verdict != PRESENT:
                    continue
                counted.tags[tag] += 1
                counted.agreed[tag] += decision is None
                counted.clusters.setdefault(tag, set()).add(item.facts.cluster)
                best = counted.exemplars.get(tag)
                if best is None or (item.facts.lines, item.facts.key) < (best[1].lines, best[1].key):
                    counted.exemplars[tag] = (item.response_id, item.facts)
        counted.adjudicators = sorted(who)
    return found
