"""Judges of an audit file against a reference: models, programs and the computed modes beside people."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from auditor.agreement.ratings import Ratings
from auditor.audit.agree import check_annotators
from auditor.audit.rated import RatedAudit, read_rated
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.grading.modes import PRECEDENCE
from auditor.model import AnnotatorKind, person_of_pass
from auditor.store.annotators import find_codebook_in_file
from auditor.store.changes import PRESENT
from auditor.store.computed_modes import modes_of_responses
from auditor.store.decisions import ADJUDICATED, UNANIMOUS, Standing, load_standings
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.store.ratings import RatedItems
from auditor.text import visible_line

COMPUTED = "computed modes"
"""What the program's own modes are called among annotators."""
DECISIONS = "decisions"
"""What is settled, as a reference."""


class JudgedRatings(NamedTuple):
    """Ratings in which some annotators are held against others."""

    ratings: Ratings
    judges: tuple[str, ...]
    references: tuple[str, ...]
    able: dict[str, dict[str, str]]
    """By judge the tags that it cannot give, and why."""
    modes: dict[str, tuple[str, ...]]
    """The computed modes by the tag that they stand for; empty where these are no judge."""


def judged_ratings(
    file: str | Path,
    references: Sequence[str],
    *,
    judges: Sequence[str] | None = None,
    codebook: str | None = None,
    computed: bool = False,
    where: str = "",
) -> JudgedRatings:
    """Read what judges and references said; `computed` adds the computed modes as a judge.

    The reference `decisions` is what was settled: items of whose tags each is the same from all people, or decided by
    an adjudicator. Without `judges` these are the models and programs, or where there are none, all other people. A
    second pass counts only where it is named. Raises InputError when a reference is unknown or nobody is left to be
    judged.
    """
    path = Path(file)
    try:
        with closing(open_for_reading(path)) as connection:
            audit = read_rated(connection, path, codebook=codebook, where=where)
            chosen = _judges(audit, references, judges, computed)
            items = list(dict.fromkeys(audit.rated.items))
            modes = modes_of_responses(connection, items) if computed else {}
            settled = _settled(connection, audit, items) if _are_asked_for(audit, references) else {}
    except sqlite3.Error as error:
        raise translate(error, path) from error
    if settled:
        audit = _with(audit, DECISIONS, settled)
    if not computed:
        return JudgedRatings(audit.ratings(), chosen, tuple(references), {}, {})
    by_tag = modes_by_tag(audit.codebook)
    cannot = {
        tag: f"No computed mode stands for the tag '{tag}'; the codebook can name one as computed."
        for tag in audit.tags
        if tag not in by_tag
    }
    ratings = _with(audit, COMPUTED, _as_tags(audit, modes)).ratings()
    return JudgedRatings(ratings, (*chosen, COMPUTED), tuple(references), {COMPUTED: cannot}, by_tag)


def modes_by_tag(codebook: Codebook) -> dict[str, tuple[str, ...]]:
    """Return for each tag that a mode which is computed stands for, these modes."""
    found: dict[str, tuple[str, ...]] = {}
    for mode in PRECEDENCE:
        for tag in sorted(codebook.tags_by_mode.get(mode, ())):
            found[tag] = (*found.get(tag, ()), mode)
    return found


def _judges(
    audit: RatedAudit, references: Sequence[str], judges: Sequence[str] | None, computed: bool
) -> tuple[str, ...]:
    if computed and COMPUTED in audit.kinds:
        raise InputError(f"an annotator of this file is called {COMPUTED!r} already, so --computed cannot be.")
    named = references if not _are_asked_for(audit, references) else [one for one in references if one != DECISIONS]
    check_annotators([*named, *(judges or ())], list(audit.kinds), audit.name)
    if judges is not None:
        return tuple(judges)
    others = [name for name in audit.kinds if name not in references]
    programs = [name for name in others if audit.kinds[name] is not AnnotatorKind.PERSON]
    if programs or computed:
        return tuple(programs)
    people = [name for name in others if name in audit.people]
    if not people and len(references) < 2:
        passes = [name for name in others if person_of_pass(name)]
        hint = (
            "Add --computed to hold the computed modes against it, or tag with: auditor tags import FILE, kind model."
        )
        if passes:
            hint = f"A second pass counts where it is named: --annotators {visible_line(passes[0], 60)}."
        raise InputError(f"nobody else has reviewed anything to hold against {_shown(references)}.", hint=hint)
    return tuple(people or references)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(visible_line(name, 40) for name in names)


def _are_asked_for(audit: RatedAudit, references: Sequence[str]) -> bool:
    """Say whether `decisions` is meant, and not an annotator of that name."""
    return DECISIONS in references and DECISIONS not in audit.kinds


def _settled(connection: sqlite3.Connection, audit: RatedAudit, items: Sequence[int]) -> dict[int, frozenset[str]]:
    """Return the tags of the items of which every tag is settled."""
    stored = find_codebook_in_file(connection, audit.name)
    standings = load_standings(connection, stored.id, items) if stored is not None else {}
    settled = {
        item: frozenset(tag for tag in standing.tags() if _is_present(standing, tag))
        for item, standing in standings.items()
        if standing.state in (UNANIMOUS, ADJUDICATED)
    }
    if not settled:
        raise InputError(
            "nothing is settled yet: no item was reviewed alike by two people, or decided.",
            hint="Settle what they differ on with: auditor adjudicate FILE --annotator NAME",
        )
    return settled


def _is_present(standing: Standing, tag: str) -> bool:
    decision = standing.decisions.get(tag)
    return decision.ruling.verdict == PRESENT if decision else all(tag in voice.tags for voice in standing.voices)


def _as_tags(audit: RatedAudit, modes: dict[int, frozenset[str]]) -> dict[int, frozenset[str]]:
    """Return computed modes as the tags that they stand for."""
    by_mode, known = audit.codebook.tags_by_mode, set(audit.tags)
    none: frozenset[str] = frozenset()
    return {
        item: frozenset().union(*(by_mode.get(mode, none) for mode in found)) & known for item, found in modes.items()
    }


def _with(audit: RatedAudit, name: str, said: dict[int, frozenset[str]]) -> RatedAudit:
    """Add what another one says of items that somebody reviewed."""
    rated = audit.rated
    clusters = dict(zip(rated.items, rated.clusters, strict=True))
    more = RatedItems(
        [*rated.items, *said],
        [*rated.annotators, *[name] * len(said)],
        [*rated.tags, *said.values()],
        [*rated.clusters, *(clusters[item] for item in said)],
    )
    return audit._replace(rated=more)


def other_comparisons(file: str | Path, person: str, codebook: str | None = None) -> list[str]:
    """Say with whom else the only person who reviewed anything can be compared, each with its command."""
    path = Path(file)
    try:
        with closing(open_for_reading(path)) as connection:
            audit = read_rated(connection, path, annotators=(), codebook=codebook)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    command = f"auditor agreement {shell_path(path)}"
    told = []
    passes = [name for name in audit.kinds if person_of_pass(name) == person]
    if passes:
        names = _shown([person, *passes])
        told.append(
            f"{_shown(passes)} is a later pass of the same person. How far they agree with themselves:"
            f" {command} --annotators {shlex.quote(names.replace(', ', ','))}"
        )
    if any(kind is not AnnotatorKind.PERSON for kind in audit.kinds.values()):
        programs = [name for name, kind in audit.kinds.items() if kind is not AnnotatorKind.PERSON]
        told.append(
            f"{_shown(programs)} tagged as a model or a program. Held against {_shown([person])}:"
            f" {command} --against {shlex.quote(visible_line(person, 60))}"
        )
    return told
