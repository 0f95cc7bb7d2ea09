"""What a statistic asks of a response: any filter, also of audited tags, once for each of those who read them.

A tag says something only of items that somebody reviewed, so such an outcome is read by each annotator on their own,
or from what is final; a filter without tags is read once, of all completed responses.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from auditor.audit.agree import measured_codebook
from auditor.audit.decided import finals
from auditor.audit.doubts import how_to_grade, unsettled
from auditor.audit.rated import read_rated
from auditor.errors import InputError
from auditor.store.changes import PRESENT
from auditor.store.expr import And, Compare, Everything, Expr, Match, Not, Or, Word, parse
from auditor.store.file import shell_path
from auditor.store.filter import Vocabulary
from auditor.store.observations import Observation, observations
from auditor.store.suggestions import hint_for_nothing
from auditor.text import counted, visible_line

ERROR = "status:wrong"
"""The outcome where none is given: that the answer is wrong."""
DECIDED = "final"
"""The reading of what all agree on or is adjudicated."""
_GRADED = frozenset({"status", "mode.computed", "extraction", "non_literal", "prediction_length"})
_TAG = "tag"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of each response, and of whose tags."""

    outcome: str = ERROR
    codebook: str | None = None
    annotators: tuple[str, ...] = ()
    """Whose tags; none = every person's in their first pass, and what is final."""
    adjudicated: bool = False
    """Only what is final: agreed by all who reviewed it, or adjudicated."""
    with_correct: bool = False
    """Whether a right answer that nobody reviewed counts as one without any tag."""


class Reading(NamedTuple):
    """One reading of the outcome."""

    name: str | None
    """Who reads the tags: an annotator, or `final`; None where no tag is asked for."""
    values: Mapping[int, bool]
    """By the place of the observation; those that are not read are missing."""


class Outcomes(NamedTuple):
    """The responses and the readings of the outcome on them."""

    observations: Sequence[Observation]
    readings: Sequence[Reading]
    notes: Sequence[str]


def read_outcomes(
    connection: sqlite3.Connection, path: Path, question: Question, dimensions: Sequence[str], where: str
) -> Outcomes:
    """Read the outcome of every completed response that a filter leaves, with the values of dimensions.

    Raises InputError where nothing is left, replies are not graded, or nobody has reviewed what a tag is asked of.
    """
    expr = parse(question.outcome)
    if isinstance(expr, Everything):
        raise InputError("the outcome is empty.", hint=f"Give a filter, such as {ERROR} or tag:NAME.")
    of_tags = _speaks_of_tags(expr)
    _check_options(question, of_tags)
    parts = _without_tags(expr)
    found = observations(connection, dimensions, where, parts)
    if not found:
        hint = hint_for_nothing(connection, where) or "Only responses with a reply count."
        raise InputError(f"no completed response matches {visible_line(where)!r}.", hint=hint)
    ungraded = sum(one.correct is None for one in found)
    if ungraded and (question.with_correct or Vocabulary(connection).mentioned(expr) & _GRADED):
        what = "1 reply is" if ungraded == 1 else f"{ungraded:,} replies are"
        raise InputError(f"{what} not graded.", hint=how_to_grade(connection, path, where))
    if not of_tags:
        facts = [dict(zip(parts, one.holds, strict=True)) for one in found]
        return Outcomes(found, [Reading(None, {at: _holds(expr, own, None) for at, own in enumerate(facts)})], [])
    return _tagged(connection, path, question, expr, parts, found, where)


def _tagged(
    connection: sqlite3.Connection,
    path: Path,
    question: Question,
    expr: Expr,
    parts: Sequence[Expr],
    found: Sequence[Observation],
    where: str,
) -> Outcomes:
    codebook = measured_codebook(connection, path, question.codebook)
    audit = read_rated(connection, path, annotators=question.annotators or None, codebook=codebook, where=where)
    _check_tags(expr, audit.tags, codebook)
    said: dict[str, dict[int, frozenset[str]]] = {}
    if not question.adjudicated:
        for who in question.annotators or audit.people:
            said[who] = {}
        for item, who, tags in zip(audit.rated.items, audit.rated.annotators, audit.rated.tags, strict=True):
            if who in said:
                said[who][item] = tags
    if not question.annotators:
        said[DECIDED] = _final_tags(connection, codebook, where)
    place = {one.response_id: at for at, one in enumerate(found)}
    readings, notes = [], []
    for who, tags_of in said.items():
        known = {place[item]: tags for item, tags in tags_of.items() if item in place}
        if not known:
            continue
        reviewed = len(known)
        if question.with_correct:
            known = {at: frozenset() for at, one in enumerate(found) if one.correct and at not in known} | known
        facts = {at: dict(zip(parts, found[at].holds, strict=True)) for at in known}
        readings.append(Reading(who, {at: _holds(expr, facts[at], tags) for at, tags in sorted(known.items())}))
        notes.append(_coverage(who, reviewed, len(known), len(found)))
    if not readings:
        told = "nothing is final" if question.adjudicated else "nobody has reviewed any"
        raise InputError(
            f"{told} of the completed responses that are left, and a tag says something only of reviewed ones.",
            hint=f"Review them: auditor review {shell_path(path)} --annotator NAME",
        )
    return Outcomes(found, readings, notes)


def grade_notes(connection: sqlite3.Connection, question: Question | None, where: str) -> list[str]:
    """Say which answers wait for being run, where the outcome (none: a right answer) hangs on grades."""
    mentioned = _GRADED if question is None else Vocabulary(connection).mentioned(parse(question.outcome))
    return unsettled(connection, where) if mentioned & _GRADED else []


def as_read_by(reader: str | None) -> str:
    """Return whose tags a reading is of, to be put behind what it gives; nothing where no tag is asked for."""
    return "" if reader is None else ", final tags" if reader == DECIDED else f", as read by {reader}"


def _coverage(who: str, reviewed: int, known: int, total: int) -> str:
    by = "Final tags" if who == DECIDED else f"Tags of {visible_line(who, 60)}"
    more = f", and {counted(known - reviewed, 'right answer')} without a review count as untagged" * (known > reviewed)
    return f"{by}: on {reviewed:,} of {total:,} completed responses{more}."


def _final_tags(connection: sqlite3.Connection, codebook: str, where: str) -> dict[int, frozenset[str]]:
    """Return the tags of the items that have final values under a codebook, by response."""
    found: dict[int, frozenset[str]] = {}
    for one in finals(connection, where):
        if one.codebook != codebook:
            continue
        for item in one.items(connection):
            decisions = item.standing.decisions
            there = [
                tag
                for tag in item.standing.tags()
                if (decisions[tag].ruling.verdict == PRESENT if tag in decisions else True)
            ]
            found[item.response_id] = frozenset(there)
    return found


def _check_options(question: Question, of_tags: bool) -> None:
    if question.adjudicated and question.annotators:
        raise InputError("--adjudicated and --annotator contradict each other.", hint="Give one of them.")
    given = question.adjudicated or question.annotators or question.codebook or question.with_correct
    if given and not of_tags:
        raise InputError(
            "--annotator, --adjudicated, --codebook and --with-correct are for an outcome that asks for a tag.",
            hint="Such as --outcome tag:NAME.",
        )


def _check_tags(expr: Expr, known: Sequence[str], codebook: str) -> None:
    for tag in sorted(_tags(expr) - set(known)):
        near = get_close_matches(tag[:60], known, 1)
        hint = f"Did you mean tag:{visible_line(near[0], 60)}?" if near else f"Tags: {', '.join(known)}."
        raise InputError(f"the codebook {visible_line(codebook, 60)} has no tag {visible_line(tag, 60)!r}.", hint=hint)


# --- the outcome as a tree -----------------------------------------------------------------------------------------


def _speaks_of_tags(expr: Expr) -> bool:
    return bool(_tags(expr))


def _tags(expr: Expr) -> set[str]:
    """Return the tags that an expression asks for."""
    match expr:
        case Match(name, values) if name == _TAG:
            return set(values)
        case Compare(name, op, value) if name == _TAG:
            if op not in ("=", "!="):
                raise InputError(f"tag cannot be compared with {op}.", hint="Write tag:NAME.")
            return {value}
        case Not(part):
            return _tags(part)
        case And(parts) | Or(parts):
            return set().union(*map(_tags, parts))
    return set()


def _without_tags(expr: Expr) -> list[Expr]:
    """Return the largest parts of an expression that do not speak of tags, which the audit file answers."""
    if not _speaks_of_tags(expr):
        return [expr]
    match expr:
        case Not(part):
            return _without_tags(part)
        case And(parts) | Or(parts):
            return list(dict.fromkeys(one for part in parts for one in _without_tags(part)))
    return []


def _holds(expr: Expr, facts: Mapping[Expr, bool], tags: frozenset[str] | None) -> bool:
    """Say whether an expression holds, by what is known of its parts without tags and by the tags."""
    if expr in facts:
        return facts[expr]
    match expr:
        case Match(_, values):
            return bool(set(values) & (tags or frozenset()))
        case Compare(_, op, value):
            return (value in (tags or ())) == (op == "=")
        case Not(part):
            return not _holds(part, facts, tags)
        case And(parts):
            return all(_holds(part, facts, tags) for part in parts)
        case Or(parts):
            return any(_holds(part, facts, tags) for part in parts)
        case Word() | Everything():
            raise AssertionError("a part without tags is among the facts")
