"""What everybody said of the items under one codebook, with who is what: the ground of tables of several annotators."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from auditor.audit.agree import check_annotators, measured_codebook
from auditor.audit.codebooks import named_codebook
from auditor.codebook import Codebook
from auditor.errors import InputError
from auditor.model import AnnotatorKind
from auditor.store.annotators import annotator_kind
from auditor.store.ratings import RatedItems, annotators_of_kind, rated_items
from auditor.store.selection import matching_responses
from auditor.store.suggestions import hint_for_nothing
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.agreement.ratings import Ratings


class RatedAudit(NamedTuple):
    """Reviewed items with their tags, and what is known of annotators and tags."""

    name: str
    """Of the codebook."""
    codebook: Codebook
    rated: RatedItems
    kinds: dict[str, AnnotatorKind]
    """Of everybody who reviewed anything under the codebook, in the order in which they came."""
    people: tuple[str, ...]
    """Of these the people, each once whatever passes they made."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Return the ids of the tags: those of the codebook that are in use, then any others that were put."""
        declared = [tag.id for tag in self.codebook.active]
        used = {tag for tags in self.rated.tags for tag in tags}
        return (*declared, *sorted(used - set(declared)))

    def ratings(self) -> Ratings:
        """Return the same as ratings; an item reviewed without tags has the empty set."""
        from auditor.agreement.ratings import ratings_from_columns

        rated = self.rated
        return ratings_from_columns(
            rated.items, rated.annotators, rated.tags, clusters=rated.clusters, categories=self.tags, multi=True
        )


def read_rated(
    connection: sqlite3.Connection,
    path: Path,
    *,
    annotators: Sequence[str] | None = None,
    codebook: str | None = None,
    where: str = "",
) -> RatedAudit:
    """Read who put which tags on which reviewed items: of these annotators, or of everybody.

    Raises InputError when nothing was reviewed, an annotator is unknown or the filter leaves nothing that is reviewed.
    """
    given = named_codebook(connection, codebook) if codebook and Path(codebook).is_file() else None
    name = measured_codebook(connection, path, given.name if given else codebook)
    everyone = annotators_of_kind(connection, name, None)
    check_annotators(annotators or (), everyone, name)
    left = set(matching_responses(connection, where, subjects=True)) if where else None
    wanted = everyone if annotators is None else annotators
    # Of nobody nothing is read: only who and what there is.
    rated = rated_items(connection, name, wanted, left) if wanted else RatedItems([], [], [], [])
    if where and not rated.items:
        raise InputError(
            f"nobody has reviewed an item that {visible_line(where)!r} leaves.",
            hint=hint_for_nothing(connection, where),
        )
    kinds = {one: annotator_kind(connection, one) or AnnotatorKind.PERSON for one in everyone}
    people = tuple(annotators_of_kind(connection, name, AnnotatorKind.PERSON))
    return RatedAudit(name, given or named_codebook(connection, name), rated, kinds, people)
