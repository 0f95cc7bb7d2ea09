"""Paired transitions: how verdicts change between two arms, two settings, or whatever else two filters fix."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.analysis import GENERATOR, paired_difference
from auditor.audit.doubts import how_to_grade
from auditor.audit.outcomes import Question, grade_notes, read_outcomes
from auditor.audit.tabulate import REPLICATES, SEED
from auditor.errors import InputError
from auditor.store.cells import Group, Outcome, outcomes
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.store.expr import And, Everything, Expr, parse
from auditor.store.file import path_of
from auditor.store.filter import Vocabulary
from auditor.store.suggestions import hint_for_nothing
from auditor.text import visible_line

_TASK_NAMES = {"study": "s.id", "case": "c.name", "arm": "t.arm", "sample": "r.sample"}
_SETTING_PARTS = {"model": "g.model", "mode": "g.mode", "prompting": "g.prompting"}
_TASK_PARTS = frozenset({"arm", "target", "lines", "loc"})


class SessionChange(NamedTuple):
    """How many cases were right in so many of their sessions on the one side, and in so many on the other."""

    from_correct: int
    from_sessions: int
    to_correct: int
    to_sessions: int
    cases: int


@dataclass(frozen=True, slots=True)
class Transitions:
    """Paired changes; `difference` is the from side minus the to side, in percentage points."""

    pairs: int
    clusters: int
    correct_to_wrong: int
    wrong_to_correct: int
    both_correct: int
    both_wrong: int
    unpaired: int
    """Completed responses of either side without a completed partner."""
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    replicates: int
    seed: int
    generator: str
    confidence: float
    reason: str | None
    """Why the difference or its interval is undefined, in a sentence."""
    invalid: int
    """Responses of either side that are left out as invalid."""
    disputed: int
    """Responses of either side whose oracle is disputed."""
    outcome: str | None = None
    """What stands in the place of a right answer: correct is then where it holds, wrong where it does not."""
    notes: tuple[str, ...] = ()
    """On which responses of each side the outcome is known."""
    sessions: tuple[SessionChange, ...] = ()
    """By k of n right sessions, where something has several on a side; a session without a reply is none."""


def transitions(
    connection: sqlite3.Connection,
    from_where: str,
    to_where: str,
    where: str = "",
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
    confidence: float = 0.95,
    question: Question | None = None,
) -> Transitions:
    """Pair completed responses that agree in all but what the two filters fix, and count how verdicts change.

    The interval is a paired bootstrap of whole clusters: the difference of summed correctness over summed pairs,
    percentiles. Raises InputError when a side has several responses for one pair, or a reply without a grade.

    A `question` asks for another outcome than a right answer; where it asks for a tag, for one reader's.
    """
    columns = _pair_columns(Vocabulary(connection), from_where, to_where)
    sides = [f"({side}) ({where})" if where.strip() else side for side in (from_where, to_where)]
    names = list(columns)
    notes: list[str] = []
    read = []
    for option, side in (("--from", from_where), ("--to", to_where)):
        if question is None:
            found = outcomes(connection, list(columns.values()), [side, where])
        else:
            found = _asked(connection, question, names, option, side, where, notes)
        read.append(_side(connection, option, side, found, names))
    for option, side in zip(("--from", "--to"), sides, strict=True):
        notes += [f"{option}: {' '.join(told)}"] if (told := grade_notes(connection, question, side)) else []
    one, other = read
    pairs = [(one[key], other[key]) for key in one if key in other]
    pairs.sort(key=lambda pair: pair[0].cluster)  # a seed draws the same ones only from the same order
    kinds = [(bool(a.correct), bool(b.correct)) for a, b in pairs]
    clusters = [a.cluster for a, _ in pairs]
    result = paired_difference(
        [a for a, _ in kinds], [b for _, b in kinds], clusters, replicates, seed, confidence
    ).difference
    return Transitions(
        pairs=len(pairs),
        clusters=len(set(clusters)),
        correct_to_wrong=kinds.count((True, False)),
        wrong_to_correct=kinds.count((False, True)),
        both_correct=kinds.count((True, True)),
        both_wrong=kinds.count((False, False)),
        unpaired=len(one) + len(other) - 2 * len(pairs),
        # From the counts, so that a tie at the last printed digit is the tie that it is.
        difference=100 * (kinds.count((True, False)) - kinds.count((False, True))) / len(pairs) if pairs else None,
        ci_low=_points(result.low),
        ci_high=_points(result.high),
        replicates=replicates,
        seed=seed,
        generator=GENERATOR,
        confidence=confidence,
        reason=_why_no_pair(names, one, other) if not pairs else result.reason,
        invalid=sum(count_left_out(connection, side) for side in sides),
        disputed=sum(count_disputed(connection, side) for side in sides),
        outcome=None if question is None else question.outcome,
        notes=tuple(notes),
        sessions=_sessions(names, one, other),
    )


def _asked(
    connection: sqlite3.Connection,
    question: Question,
    names: Sequence[str],
    option: str,
    side: str,
    where: str,
    notes: list[str],
) -> list[Outcome]:
    """Read another outcome of the responses of a side, with what they are paired by; its notes are added to `notes`."""
    narrowed = f"({side}) ({where})" if where.strip() else side
    found = read_outcomes(connection, path_of(connection), question, names, narrowed)
    if len(found.readings) > 1:
        readers = ", ".join(visible_line(one.name or "", 40) for one in found.readings)
        raise InputError(
            f"{option}: several read the tags ({readers}), and a pair needs one reader.",
            hint="Give --annotator NAME or --adjudicated.",
        )
    notes += [f"{option}: {note}" for note in found.notes]
    values = found.readings[0].values
    rows = [(found.observations[place], holds) for place, holds in values.items()]
    return [Outcome(one.values, one.cluster, holds, True) for one, holds in rows]


def _sessions(
    names: Sequence[str], one: Mapping[Group, Outcome], other: Mapping[Group, Outcome]
) -> tuple[SessionChange, ...]:
    """Count what both sides have by how many of its sessions are right: k of n against k of n."""
    if "sample" not in names:
        return ()
    at = names.index("sample")
    counts: list[dict[Group, list[int]]] = [{}, {}]
    for found, side in zip(counts, (one, other), strict=True):
        for key, outcome in side.items():
            numbers = found.setdefault((*key[:at], *key[at + 1 :]), [0, 0])
            numbers[0] += bool(outcome.correct)
            numbers[1] += 1
    shared = counts[0].keys() & counts[1].keys()
    kinds = Counter((*_two(counts[0][key]), *_two(counts[1][key])) for key in shared)
    if all(kind[1] == kind[3] == 1 for kind in kinds):
        return ()
    return tuple(SessionChange(kind[0], kind[1], kind[2], kind[3], count) for kind, count in sorted(kinds.items()))


def _two(numbers: Sequence[int]) -> tuple[int, int]:
    right, sessions = numbers
    return right, sessions


def _why_no_pair(names: Sequence[str], one: Mapping[Group, Outcome], other: Mapping[Group, Outcome]) -> str:
    """Say in what the sides differ that a pair must share, and what to do about it."""
    for option, side in (("--from", one), ("--to", other)):
        if not side:
            return f"No response of the {option} side was completed."
    apart = [name for at, name in enumerate(names) if not {key[at] for key in one} & {key[at] for key in other}]
    if not apart:
        return (
            "No response of the one side has a completed partner on the other:"
            f" the two replies of a pair agree in {_listed(names)}."
        )
    told = (
        f"Nothing was paired: the two replies of a pair agree in {_listed(names)}, and the sides have no"
        f" {_listed(apart, 'or')} in common."
    )
    if {"study", "case", "sample"} & set(apart):
        return told
    example = " ".join(f"{name}:A" for name in apart)
    return (
        f"{told} To compare across {_listed(apart)}, name {'it' if len(apart) == 1 else 'them'} in both --from and --to"
        f" with different values (such as {example})."
    )


def _listed(names: Sequence[str], word: str = "and") -> str:
    return " ".join(filter(None, [", ".join(names[:-1]), word if len(names) > 1 else "", names[-1] if names else ""]))


def _points(fraction: float | None) -> float | None:
    return None if fraction is None else 100 * fraction


def _pair_columns(vocabulary: Vocabulary, from_where: str, to_where: str) -> dict[str, str]:
    """Return the columns, by name, in which the two sides of a pair agree: all but those that the filters fix.

    A term that stands in both filters fixes nothing: it only narrows both sides alike.
    """
    fixed = _fixed_names(vocabulary, from_where, to_where)
    columns = {name: column for name, column in _TASK_NAMES.items() if name not in fixed}
    if fixed & (_TASK_PARTS | vocabulary.facets.keys()):
        columns.pop("arm", None)
    if fixed & _SETTING_PARTS.keys():
        columns |= {name: column for name, column in _SETTING_PARTS.items() if name not in fixed}
    elif "setting" not in fixed and not fixed & vocabulary.setting_facets:
        columns["setting"] = "g.id"
    return columns


def _fixed_names(vocabulary: Vocabulary, from_where: str, to_where: str) -> set[str]:
    one, other = _terms(from_where), _terms(to_where)
    if not one or not other:
        raise InputError("--from and --to each need a filter.", hint="For example --from arm:A --to arm:B.")
    apart = one ^ other
    if not apart:
        raise InputError("--from and --to are the same filter, so nothing can change between them.")
    return {name.removeprefix("facet:") for term in apart for name in vocabulary.mentioned(term)}


def _terms(where: str) -> set[Expr]:
    """Return the terms that a filter joins with and."""
    expr = parse(where)
    return set(expr.parts) if isinstance(expr, And) else set() if isinstance(expr, Everything) else {expr}


def _side(
    connection: sqlite3.Connection, option: str, where: str, found: Sequence[Outcome], names: Sequence[str]
) -> dict[Group, Outcome]:
    """Index the completed responses of one side by what they are paired by."""
    shown = f"{option} {visible_line(where, 80)}"
    if not found:
        raise InputError(f"{shown} matches no response.", hint=hint_for_nothing(connection, where))
    ungraded = sum(not outcome.graded for outcome in found)
    if ungraded:
        what = "1 reply is" if ungraded == 1 else f"{ungraded:,} replies are"
        raise InputError(f"{shown}: {what} not graded.", hint=how_to_grade(connection, path_of(connection), where))
    side: dict[Group, Outcome] = {}
    for outcome in found:
        if outcome.correct is None:
            continue
        if outcome.pair in side:
            raise InputError(
                f"{shown} leaves several responses for one pair.",
                hint=f"Pairs agree in {_listed(names)}: fix more on each side, such as one arm and one setting.",
            )
        side[outcome.pair] = outcome
    return side
