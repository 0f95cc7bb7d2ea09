"""The ratings of an audit file: which codebook, whose reviews, on which items."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from auditor.agreement.ratings import Ratings, ratings_from_columns
from auditor.audit.codebooks import named_codebook
from auditor.errors import AuditFileError, InputError
from auditor.model import AnnotatorKind
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.store.ratings import annotators_of_kind, rated_items, reviewed_codebooks
from auditor.text import visible_line


def ratings_from_audit(
    file: str | Path,
    *,
    annotators: Sequence[str] | None = None,
    codebook: str | None = None,
    categories: Sequence[str] | None = None,
) -> Ratings:
    """Read who put which tags on which reviewed items; an item reviewed without tags has the empty set.

    People only, unless `annotators` names others: models and computed modes are never mixed in silently. Clusters are
    those of the items. Raises InputError when nothing was reviewed, or under several codebooks and none is named.
    """
    path = Path(file)
    try:
        with closing(open_for_reading(path)) as connection:
            name = _codebook(connection, path, codebook)
            declared = [tag.id for tag in named_codebook(connection, name).tags]
            people = annotators_of_kind(connection, name, AnnotatorKind.PERSON)
            rated = rated_items(connection, name, people if annotators is None else annotators)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    used = {tag for tags in rated.tags for tag in tags}
    known = [*declared, *sorted(used - set(declared))]
    for category in categories or ():
        if category not in known:
            raise InputError(f"the codebook {visible_line(name)} has no tag {visible_line(category)!r}.")
    return ratings_from_columns(
        rated.items, rated.annotators, rated.tags, clusters=rated.clusters, categories=known, multi=True
    )


def _codebook(connection: sqlite3.Connection, path: Path, name: str | None) -> str:
    """Return the codebook to measure: the named one, or the only one with reviews."""
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
