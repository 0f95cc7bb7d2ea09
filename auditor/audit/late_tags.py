"""Reviews that were made before a tag was in the codebook: they cannot say that it is absent, but count so."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path

from auditor.audit.agree import measured_codebook
from auditor.audit.diagnosis import lives
from auditor.store.annotators import find_codebook_in_file
from auditor.store.diagnosis import judged_revisions
from auditor.store.file import open_for_reading, shell_path, translate
from auditor.text import counted, visible_line

LateTags = Mapping[str, Mapping[str, int]]
"""By tag and annotator the reviews that are older than the tag; only where there are any."""


def late_tags(connection: sqlite3.Connection, codebook: str) -> LateTags:
    """Count the reviewed items that were judged last before a tag in use was added to the codebook."""
    stored = find_codebook_in_file(connection, codebook)
    if stored is None or stored.revision == 1:
        return {}
    in_use = {tag.id for tag in stored.codebook.active}
    added = {tag: life.added for tag, life in lives(connection, stored).items() if tag in in_use}
    first = min(added.values())
    if all(revision == first for revision in added.values()):
        return {}
    found: dict[str, dict[str, int]] = {}
    for annotator, judged, reviews in judged_revisions(connection, stored.id):
        for tag, revision in added.items():
            if judged < revision:
                by_annotator = found.setdefault(tag, {})
                by_annotator[annotator] = by_annotator.get(annotator, 0) + reviews
    return found


def late_tags_of_file(file: str | Path, codebook: str | None) -> LateTags:
    """Count the same in a file, under the codebook that `ratings_from_audit` would take."""
    path = Path(file)
    try:
        with closing(open_for_reading(path)) as connection:
            name = codebook if codebook and not Path(codebook).is_file() else None
            return late_tags(connection, measured_codebook(connection, path, name))
    except sqlite3.Error as error:
        raise translate(error, path) from error


def tell_late_tags(
    file: str | Path, codebook: str | None, annotators: Collection[str], tags: Collection[str]
) -> list[str]:
    """Say of which tags how many reviews of these annotators are older than the tag; `tags` = only of these."""
    told = []
    for tag, by_annotator in late_tags_of_file(file, codebook).items():
        reviews = sum(number for annotator, number in by_annotator.items() if annotator in annotators)
        if reviews and (not tags or tag in tags):
            told.append(f"{visible_line(tag, 40)}: {counted(reviews, 'review')}")
    if not told:
        return []
    command = f"auditor export diagnosis {shell_path(Path(file))} -o diagnosis.csv"
    return [
        "Made before the tag was in the codebook, so that it counts as absent without anybody having said so"
        f" ({'; '.join(told)}). Which items these are: {command}"
    ]
