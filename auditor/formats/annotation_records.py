"""What people said, as names and not as row ids: the records of a bundle, and of a merge from another audit file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from auditor.model import AnnotatorKind, ResponseKey


class RevisionName(NamedTuple):
    """What a revision of a codebook is known by in every file."""

    content: str
    """The hash of the contents, in hexadecimal."""
    time: int = 1
    """2 = the codebook came back to these contents once, and so on."""


class OutdatedTag(NamedTuple):
    """A tag whose items need another look since a revision."""

    tag: str
    reason: str
    all_reviewed: bool
    """Whether items that were reviewed without the tag need it too."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision of a codebook, and which ones it came after."""

    text: str
    """The codebook as YAML."""
    at: str
    action: str = ""
    """Empty = it came with a file."""
    words: str = ""
    follows: frozenset[RevisionName] = frozenset()
    outdated: frozenset[OutdatedTag] = frozenset()


RevisionGraph = dict[RevisionName, Revision]


def one_revision(one: Revision, other: Revision) -> Revision:
    """Return what two histories say of one revision, the same in either order: they may have come to it apart."""
    action, words = min((one.action, one.words), (other.action, other.words), key=lambda said: (not said[0], said))
    # What one of them took off the list of what needs another look is off.
    outdated = one.outdated & other.outdated
    text, at = min(one.text, other.text), min(one.at, other.at)
    return Revision(text, at, action, words, one.follows | other.follows, outdated)


class EventRecord(NamedTuple):
    """One event of the history; events are the same when their UUIDs are."""

    uuid: str
    annotator: str
    item: ResponseKey
    content: bytes
    """Hash of the contents of the item's task and response, as the file has them now."""
    codebook: str
    revision: RevisionName | int
    """A bare number is that of a revision which the file does not hold."""
    action: str
    change: str
    """JSON, as the history keeps it."""
    undoes: str | None
    """UUID of the event that an undo or a redo is about."""
    follows: str | None
    """UUID of the annotator's event before this one on the item; None = it is their first."""
    batch: str | None
    origin: str
    evidence: bytes
    """Hash of the contents that were shown."""
    at: str
    blind: bool
    aside: bool
    seconds: float | None


class AnnotatorRecord(NamedTuple):
    """An annotator by name."""

    name: str
    kind: AnnotatorKind


class SampleDraw(NamedTuple):
    """How the items of an assignment were drawn that is of some items only."""

    take: int
    """So many of each group."""
    per: tuple[str, ...]
    """The dimensions that make the groups; none = all items are one group."""
    order: str
    """In which they were taken."""


class AssignmentRecord(NamedTuple):
    """How the items of a codebook are shared out."""

    codebook: str
    where: str
    overlap: int
    seed: int
    made_at: str
    shares: frozenset[tuple[str, str]]
    """Pairs of a cluster and an annotator."""
    draw: SampleDraw | None = None
    """None = all items of the filter."""
    items: frozenset[ResponseKey] = frozenset()
    """Which items were drawn."""


class AnnotationSource(Protocol):
    """Where annotations come from."""

    @property
    def label(self) -> str:
        """Return what messages call it."""

    @property
    def origin(self) -> str | None:
        """Return the id of the audit, which copies of a file share; None when it is not known."""

    @property
    def total(self) -> int:
        """Return how many events there are."""

    def annotators(self) -> list[AnnotatorRecord]:
        """Return everybody who said anything or has items assigned."""

    def graphs(self) -> dict[str, RevisionGraph]:
        """Return the revisions of the codebooks by name."""

    def events(self) -> Iterator[EventRecord]:
        """Yield the events, in any order."""

    def assignments(self) -> list[AssignmentRecord]:
        """Return the assignments."""

    def studies(self) -> dict[str, set[str]]:
        """Return the hashes of the cases of each study that was annotated, where they are known."""
