"""What else is to know of agreement in an audit file: reviews older than a tag, invalid items, disputed oracles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditor.audit.doubts import doubts
from auditor.cli.output import print_text


def late_reviews(file: str | None, codebook: str | None) -> dict[str, Any]:
    """Return the reviews of an audit file that are older than a tag, where there are any."""
    if file is None:
        return {}
    from auditor.audit.late_tags import late_tags_of_file

    late = late_tags_of_file(file, codebook)
    return {"late_tags": late} if late else {}


def doubtful_items(file: str | None, codebook: str | None, where: str) -> dict[str, int]:
    """Return how many reviewed items of an audit file are invalid and left out, and how many have a disputed oracle."""
    if file is None:
        return {}
    from auditor.audit.agree import doubts_of_agreement

    return doubts_of_agreement(file, codebook, where)._asdict()


def further(
    file: str | None, codebook: str | None, annotators: Sequence[str], tags: tuple[str, ...], where: str
) -> list[str]:
    """Say what belongs below the numbers, a sentence each."""
    return [*_late_tags(file, codebook, annotators, tags), *_doubts(file, codebook, where)]


def print_doubts(file: str | None, codebook: str | None, where: str) -> None:
    """Print how many items are left out or disputed."""
    for sentence in _doubts(file, codebook, where):
        print_text(sentence)


def print_late_tags(file: str | None, codebook: str | None, annotators: Sequence[str], tags: tuple[str, ...]) -> None:
    """Print of which tags some reviews are older than the tag."""
    for sentence in _late_tags(file, codebook, annotators, tags):
        print_text(sentence)


def _doubts(file: str | None, codebook: str | None, where: str) -> list[str]:
    return doubts(**(doubtful_items(file, codebook, where) or {"invalid": 0, "disputed": 0}))


def _late_tags(file: str | None, codebook: str | None, annotators: Sequence[str], tags: tuple[str, ...]) -> list[str]:
    if file is None:
        return []
    from auditor.audit.late_tags import tell_late_tags

    return list(tell_late_tags(file, codebook, annotators, tags))
