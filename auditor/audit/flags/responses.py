"""Flags of responses and studies: what is missing, ungraded, disputed, not matched, or rests on too few clusters."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from auditor.analysis import FEW_CLUSTERS
from auditor.audit.flags.flag import Flag, FlagItems
from auditor.store.cells import ClusterCounts, Unsettled, cluster_counts, count_absent_cells, count_unsettled
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.store.expr import And, Match, unparse
from auditor.store.invalidations import count_invalid
from auditor.store.report_counts import StatusCounts, status_counts
from auditor.store.responses import count_superseded
from auditor.store.unmatched import count_unmatched
from auditor.text import counted

LARGE_SHARE = 0.05
"""Share of missing or unusable answers from which on a reader hears of it."""
_MOST_NAMED = 5
"""Settings that each have a flag of their own; of more, the worst ones."""


class Doubtful(NamedTuple):
    """How many responses a reader must know of before trusting the figures."""

    absent: int
    """Planned cells without a row."""
    superseded: int
    status: StatusCounts | None
    """None where it is hidden, as all that follows."""
    invalid: int = 0
    disputed: int = 0
    """Responses whose oracle is disputed."""
    unsettled: Unsettled | None = None
    unconfirmed: int = 0
    """Responses whose oracle no run has confirmed or disputed."""
    responses: int = 0
    """All that count."""


def count_doubtful(connection: sqlite3.Connection, where: str = "", *, answers: bool = True) -> Doubtful:
    """Count them; without `answers` only what tells nothing of any answer.

    Absent and superseded ones are those of the whole file. Raises InputError for a wrong filter.
    """
    absent, superseded = count_absent_cells(connection), count_superseded(connection)
    if not answers:
        return Doubtful(absent, superseded, None)
    status = status_counts(connection, where)
    return Doubtful(
        absent,
        superseded,
        status,
        count_left_out(connection, where) if where else count_invalid(connection),
        count_disputed(connection, where),
        count_unsettled(connection, where),
        status.unconfirmed,
        status.responses,
    )


def of_doubtful(found: Doubtful) -> list[Flag]:
    """Return a flag for each count that is not 0."""
    made = [*_missing(found)]
    if found.status is not None:
        made += [*_replies(found.status), *_oracles(found)]
    return [flag for flag in made if flag.count]


def _missing(found: Doubtful) -> Iterator[Flag]:
    yield Flag(
        "absent",
        found.absent,
        f"{counted(found.absent, 'planned response')} without a row",
        (),
        "They count as wrong in C/N and are missing in C/R.",
        "auditor info FILE lists where they are absent.",
    )
    yield Flag(
        "superseded",
        found.superseded,
        f"{counted(found.superseded, 'response')} replaced by another import",
        (),
        "They count nowhere, and no queue has them.",
    )


def _replies(status: StatusCounts) -> Iterator[Flag]:
    """Flag what models did not answer, or not as they were asked to."""
    yield Flag(
        "ungraded",
        status.ungraded,
        f"{counted(status.ungraded, 'reply', 'replies')} without a grade",
        (),
        "Rates that they are part of are undefined.",
        "auditor grade FILE grades them.",
        where="status:ungraded",
    )
    yield Flag(
        "silent",
        status.silent,
        f"{counted(status.silent, 'response')} without a reply",
        (),
        "They count as wrong in C/N and are missing in C/R.",
        where="status:no-response",
    )
    yield Flag(
        "outside",
        status.outside,
        f"{counted(status.outside, 'reply', 'replies')} in an invalid envelope",
        (),
        "Not in the form asked for; graded by what a named rule extracted, where one could.",
        where="status:correct-invalid,wrong-invalid",
        exact=True,
    )
    yield Flag(
        "unfound",
        status.unfound,
        f"{counted(status.unfound, 'reply', 'replies')} without an answer that could be found{_share(status)}",
        (),
        "They count as wrong: how much of that is form, and not what the model predicted, a look at some of them says.",
        where="extraction:none NOT status:no-response",
        exact=True,
    )


def _oracles(found: Doubtful) -> Iterator[Flag]:
    """Flag what was asked wrongly, and answers whose verdict hangs on a run that was not made or says otherwise."""
    yield Flag(
        "invalid",
        found.invalid,
        f"{counted(found.invalid, 'response')} marked as invalid",
        (),
        "Asked wrongly: they count nowhere.",
        where="invalid:yes",
        exact=True,
    )
    yield Flag(
        "disputed",
        found.disputed,
        f"{counted(found.disputed, 'response')} with a disputed oracle",
        (),
        "Running the program gives another output than the oracle that they are counted by.",
        "Correct the oracle and import it with --replace, or auditor invalidate them.",
        where="executed:disputed",
        exact=True,
    )
    unsettled = found.unsettled or Unsettled(0, 0)
    waits = unsettled.calls + unsettled.non_literal
    yield Flag(
        "unsettled",
        waits,
        f"{counted(waits, 'answer')} to be judged by running something",
        (),
        "Predicted calls have no grade before that, and answers that are no literals count as wrong.",
        "auditor grade FILE --execute runs them.",
        where="(non_literal:true executed:no) OR (status:ungraded target:input)",
    )
    yield _unconfirmed(found)


def _share(status: StatusCounts) -> str:
    return f" ({100 * status.unfound / status.replies:.1f} %)" if status.unfound else ""


def _unconfirmed(found: Doubtful) -> Flag:
    every = found.unconfirmed == found.responses
    line = f"{counted(found.unconfirmed, 'response')} whose oracle no run here confirmed"
    return Flag(
        "unconfirmed",
        found.unconfirmed,
        line,
        (),
        "No program was run here to confirm its oracle." if every else "Their programs were not run here.",
        "auditor grade FILE --execute runs what it can.",
        where="executed:no NOT target:subject",
        exact=True,
    )


# --- of settings and studies -----------------------------------------------------------------------------------------


def of_settings(connection: sqlite3.Connection, where: str = "") -> list[Flag]:
    """Flag settings that miss many answers, and studies whose settings did not answer the same tasks."""
    return [*_absentees(cluster_counts(connection, ["setting"], where)), *_unmatched(connection, where)]


def _absentees(counts: Sequence[ClusterCounts]) -> Iterator[Flag]:
    sums: dict[str, list[int]] = {}
    for one in counts:
        numbers = sums.setdefault(one.group[0], [0, 0])
        numbers[0] += one.planned - one.completed
        numbers[1] += one.planned
    many = [(missing / planned, name, missing, planned) for name, (missing, planned) in sums.items() if planned]
    many = sorted((one for one in many if one[0] >= LARGE_SHARE), key=lambda one: -one[0])
    for share, name, missing, planned in many[:_MOST_NAMED]:
        yield Flag(
            f"missing {name}",
            missing,
            f"{{}} gave no reply to {missing:,} of {counted(planned, 'planned response')} ({100 * share:.1f} %)",
            (name,),
            "Its C/R is of the rest only, which need not be like those that are missing.",
            "Quote C/N beside it, or ask again.",
            where=unparse(And((Match("setting", (name,)), Match("status", ("no-response",))))),
        )
    if len(many) > _MOST_NAMED:
        rest = len(many) - _MOST_NAMED
        yield Flag(
            "missing more",
            rest,
            f"{counted(rest, 'more setting')} gave no reply to {100 * LARGE_SHARE:g} % or more",
            (),
            "auditor accuracy FILE has all of them.",
        )


def _unmatched(connection: sqlite3.Connection, where: str) -> Iterator[Flag]:
    for study, tasks, of, replies in count_unmatched(connection, where):
        yield Flag(
            f"unmatched {study}",
            replies,
            f"{{}}: {tasks:,} of {counted(of, 'task')} not answered by each of its settings",
            (study,),
            f"Rates of settings over other tasks do not compare; these are the {counted(replies, 'reply', 'replies')}"
            " to them.",
            "auditor transitions FILE pairs what both answered.",
            behind=FlagItems("unmatched", (study,)),
            exact=True,
        )


def of_clusters(connection: sqlite3.Connection, where: str = "") -> list[Flag]:
    """Flag studies of few clusters, and of clusters so unequal that they count as few."""
    sizes: dict[str, dict[int, int]] = {}
    for one in cluster_counts(connection, ["study"], where):
        sizes.setdefault(one.group[0], {})[one.cluster] = one.planned
    return [flag for study, of in sizes.items() if sum(of.values()) for flag in _cluster_flags(study, of)]


def _cluster_flags(study: str, sizes: dict[int, int]) -> Iterator[Flag]:
    total, squares, largest = sum(sizes.values()), sum(size**2 for size in sizes.values()), max(sizes.values())
    # Of equal clusters this is their number (G* of Carter, Schnepel and Steigerwald without their variance term).
    effective = total**2 / squares
    if len(sizes) < FEW_CLUSTERS:
        yield Flag(
            f"few {study}",
            len(sizes),
            f"{{}} rests on {counted(len(sizes), 'cluster')}",
            (study,),
            f"Intervals from fewer than {FEW_CLUSTERS} clusters are too narrow on average.",
            "Quote them with the number of clusters.",
            where=unparse(Match("study", (study,))),
        )
    elif effective < FEW_CLUSTERS:
        yield Flag(
            f"unequal {study}",
            largest,
            f"{{}}: {len(sizes):,} clusters count as about {effective:.0f}, for {100 * largest / total:.0f} % of its"
            " responses are in one",
            (study,),
            f"Intervals are too narrow on average, as those from fewer than {FEW_CLUSTERS} clusters.",
            "Look at the largest cluster, whose responses these are, apart from the others.",
            behind=FlagItems("largest cluster", (study,)),
        )
