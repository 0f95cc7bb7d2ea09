"""The ratings of an audit file: which codebook, whose reviews, on which items."""

from __future__ import annotations

import difflib
import sqlite3
from collections.abc import Container, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from auditor.agreement.ratings import Bools, Ratings, TagGroup, ratings_from_codes
from auditor.audit.codebooks import named_codebook
from auditor.codebook_entries import Codebook
from auditor.errors import AuditFileError, InputError
from auditor.model import AnnotatorKind
from auditor.store.doubtful import count_disputed, count_left_out
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.store.rating_columns import rating_columns
from auditor.store.ratings import annotators_of_kind, reviewed_codebooks
from auditor.store.selection import matching_responses
from auditor.store.suggestions import hint_for_nothing
from auditor.text import visible_line


def ratings_from_audit(
    file: str | Path,
    *,
    annotators: Sequence[str] | None = None,
    codebook: str | None = None,
    categories: Sequence[str] | None = None,
    where: str = "",
) -> Ratings:
    """Read who put which tags on which reviewed items; an item reviewed without tags has the empty set.

    People only, unless `annotators` names others: models and computed modes are never mixed in silently. Clusters are
    those of the items. `codebook` is a name or a file. Raises InputError when nothing was reviewed, or under several
    codebooks and none is named.
    """
    ratings, _ = _read(Path(file), annotators, codebook, categories, [where])
    return ratings


def sides_from_audit(
    file: str | Path,
    where: str,
    against: str,
    *,
    annotators: Sequence[str] | None = None,
    codebook: str | None = None,
    categories: Sequence[str] | None = None,
) -> tuple[Ratings, Bools, Bools]:
    """Read the ratings that either of two filters leaves, and which items each of them leaves, shape (n_items,).

    Everything else is as for `ratings_from_audit`; raises InputError also when a filter leaves nothing reviewed.
    """
    ratings, (first, second) = _read(Path(file), annotators, codebook, categories, [where, against])
    return ratings, first, second


class Doubts(NamedTuple):
    """Reviewed items whose numbers a reader has to know of."""

    invalid: int
    """Left out, since the prediction is invalid."""
    disputed: int
    """Measured, though the oracle is disputed."""


NO_DOUBTS = Doubts(0, 0)


def count_doubts(connection: sqlite3.Connection, codebook: str, where: str = "") -> Doubts:
    """Count the items reviewed under a codebook that are left out as invalid, and those with a disputed oracle."""
    left_out = count_left_out(connection, where, codebook=codebook)
    return Doubts(left_out, count_disputed(connection, where, codebook=codebook))


def doubts_of_agreement(file: str | Path, codebook: str | None = None, where: str = "") -> Doubts:
    """Count the reviewed items of a filter that are left out as invalid, and those with a disputed oracle."""
    path = Path(file)
    try:
        with closing(open_for_reading(path)) as connection:
            given = named_codebook(connection, codebook) if codebook and Path(codebook).is_file() else None
            name = measured_codebook(connection, path, given.name if given else codebook)
            return count_doubts(connection, name, where)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def _read(
    path: Path,
    annotators: Sequence[str] | None,
    codebook: str | None,
    categories: Sequence[str] | None,
    filters: Sequence[str],
) -> tuple[Ratings, list[Bools]]:
    """Read the ratings of the items that any of the filters leaves, and by filter which of the items it leaves."""
    try:
        with closing(open_for_reading(path)) as connection:
            given = named_codebook(connection, codebook) if codebook and Path(codebook).is_file() else None
            name = measured_codebook(connection, path, given.name if given else codebook)
            book = given or named_codebook(connection, name)
            people = annotators_of_kind(connection, name, AnnotatorKind.PERSON)
            everyone = annotators_of_kind(connection, name, None)
            check_annotators(annotators or (), everyone, name)
            if annotators is None and not people:
                raise InputError(
                    "only models, computed modes or second passes have reviewed anything; these count by name only.",
                    hint=f"Name them with --annotators; there are: {_shown(everyone)}.",
                )
            left = [set(matching_responses(connection, where, subjects=True)) if where else None for where in filters]
            among = None if None in left else set[int]().union(*(one for one in left if one is not None))
            rated = rating_columns(connection, name, people if annotators is None else annotators, among)
            items = rated.item[np.diff(rated.item, prepend=-1) > 0].tolist()
            kept = [np.array([one is None or item in one for item in items], dtype=bool) for one in left]
            for where, mask in zip(filters, kept, strict=True):
                if where and not mask.any():
                    raise InputError(
                        f"nobody has reviewed an item that {visible_line(where)!r} leaves.",
                        hint=hint_for_nothing(connection, where),
                    )
    except sqlite3.Error as error:
        raise translate(error, path) from error
    used = frozenset[str]().union(*rated.sets)
    declared = [tag.id for tag in book.active]
    known = [*declared, *sorted(used - set(declared))]
    check_categories(categories or (), known, name)
    ratings = ratings_from_codes(
        rated.item,
        rated.annotator,
        rated.value,
        annotators=rated.annotators,
        values=rated.sets,
        clusters=rated.cluster,
        categories=known,
        groups=exclusive_groups(book, known),
    )
    return ratings, kept


def check_categories(wanted: Sequence[str], known: Sequence[str], codebook: str) -> None:
    """Raise InputError, with the nearest one, when a codebook does not have one of these tags."""
    for category in wanted:
        if category not in known:
            near = difflib.get_close_matches(category[:200], known, 1)
            hint = f"Did you mean {visible_line(near[0], 60)}?" if near else None
            raise InputError(
                f"the codebook {visible_line(codebook)} has no tag {visible_line(category, 60)!r}.", hint=hint
            )


def exclusive_groups(book: Codebook, known: Container[str]) -> list[TagGroup]:
    """Return the groups of which an item has at most one tag, each with its tags that are known."""
    groups = [
        TagGroup(group.id, tuple(tag.id for tag in book.tags if tag.group == group.id and tag.id in known))
        for group in book.groups
        if group.exclusive
    ]
    return [group for group in groups if group.tags]


def check_annotators(wanted: Sequence[str], known: Sequence[str], codebook: str) -> None:
    """Raise InputError, with the nearest name, when one of these annotators has reviewed nothing under a codebook."""
    for annotator in wanted:
        if annotator not in known:
            near = difflib.get_close_matches(annotator[:200], known, 1)
            there = _shown(known)
            raise InputError(
                f"nobody called {visible_line(annotator, 60)!r} has reviewed anything under the codebook"
                f" {visible_line(codebook)}.",
                hint=f"Did you mean {visible_line(near[0], 60)}?" if near else f"There are: {there}.",
            )


def _shown(names: Sequence[str]) -> str:
    return ", ".join(visible_line(name, 40) for name in names[:20])


def measured_codebook(connection: sqlite3.Connection, path: Path, name: str | None) -> str:
    """Return the name of the codebook to measure: the named one, or the only one with reviews.

    Raises AuditFileError when nobody has reviewed anything, and InputError when there are several and none is named.
    """
    reviewed = reviewed_codebooks(connection)
    if not reviewed:
        raise AuditFileError(
            f"nobody has reviewed anything in {visible_line(str(path))} yet.",
            f"Review with: auditor review {shell_path(path)} --annotator NAME",
        )
    shown = ", ".join(map(visible_line, reviewed))
    if name is not None and name not in reviewed:
        raise InputError(
            f"nobody has reviewed anything under the codebook {visible_line(name)!r}.", hint=f"Reviewed: {shown}."
        )
    if name is None and len(reviewed) > 1:
        raise InputError(f"there are reviews under several codebooks ({shown}).", hint="Choose one with --codebook.")
    return name or reviewed[0]
