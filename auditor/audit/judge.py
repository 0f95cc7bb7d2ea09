"""Judges of an audit file against a reference: models, programs and the computed modes beside people."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from auditor.agreement.ratings import Ratings, ratings_from_columns
from auditor.audit.agree import check_annotators
from auditor.audit.rated import RatedAudit, read_rated
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.grading.modes import PRECEDENCE
from auditor.model import AnnotatorKind, person_of_pass
from auditor.store.computed_modes import modes_of_responses
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.text import visible_line

COMPUTED = "computed modes"
"""What the program's own modes are called among annotators."""


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

    Without `judges` these are the models and programs, or where there are none, all other people. A second pass counts
    only where it is named. Raises InputError when a reference is unknown or nobody is left to be judged.
    """
    path = Path(file)
    try:
        with closing(open_for_reading(path)) as connection:
            audit = read_rated(connection, path, codebook=codebook, where=where)
            chosen = _judges(audit, references, judges, computed)
            if not computed:
                return JudgedRatings(audit.ratings(), chosen, tuple(references), {}, {})
            if COMPUTED in audit.kinds:
                raise InputError(f"an annotator of this file is called {COMPUTED!r} already, so --computed cannot be.")
            modes = modes_of_responses(connection, list(dict.fromkeys(audit.rated.items)))
    except sqlite3.Error as error:
        raise translate(error, path) from error
    by_tag = modes_by_tag(audit.codebook)
    cannot = {
        tag: f"No computed mode stands for the tag '{tag}'; the codebook can name one as computed."
        for tag in audit.tags
        if tag not in by_tag
    }
    ratings = _with_computed(audit, modes)
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
    check_annotators([*references, *(judges or ())], list(audit.kinds), audit.name)
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


def _with_computed(audit: RatedAudit, modes: dict[int, frozenset[str]]) -> Ratings:
    """Add the computed modes, as the tags that they stand for, on every graded item that somebody reviewed."""
    rated, tags_by_mode = audit.rated, audit.codebook.tags_by_mode
    clusters = dict(zip(rated.items, rated.clusters, strict=True))
    known = set(audit.tags)
    none: frozenset[str] = frozenset()
    said = {
        row: frozenset().union(*(tags_by_mode.get(mode, none) for mode in found)) & known
        for row, found in modes.items()
    }
    return ratings_from_columns(
        [*rated.items, *said],
        [*rated.annotators, *[COMPUTED] * len(said)],
        [*rated.tags, *said.values()],
        clusters=[*rated.clusters, *(clusters[row] for row in said)],
        categories=audit.tags,
        multi=True,
    )


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
