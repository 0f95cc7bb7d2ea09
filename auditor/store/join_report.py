"""What became of annotations that were brought into an audit file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from auditor.store.changes import ReviewView


class JoinedAnnotator(NamedTuple):
    """What came of one annotator of one source."""

    source: str
    name: str
    becomes: str
    """Under which name the file has them."""
    kind: str
    events: int
    """Those that are new to the file."""
    new: bool
    """Whether the file had nobody of that name."""


class JoinedCodebook(NamedTuple):
    """A codebook that has revisions which are new to the file."""

    name: str
    revisions: int
    """How many are new."""
    newest: int
    """The number of the newest."""
    joined: bool
    """Whether the newest was made because both files had changed the codebook."""


class Conflict(NamedTuple):
    """One annotator's work on one item that both files went on with, and to another end."""

    source: str
    item: str
    annotator: str
    codebook: str
    here: ReviewView
    there: ReviewView
    result: ReviewView


class DecisionConflict(NamedTuple):
    """A tag of an item of which two adjudicators decided differently; the latest decision holds."""

    item: str
    codebook: str
    tag: str
    verdicts: tuple[tuple[str, str, str], ...]
    """Adjudicator, verdict and time of each, the one that holds last."""


class UnjoinedItem(NamedTuple):
    """An item whose annotations were left out."""

    source: str
    item: str
    reason: str
    events: int


@dataclass(slots=True)
class JoinReport:
    """What became of annotations from other sources."""

    known: dict[str, int] = field(default_factory=dict)
    """Events that the file had already, by source."""
    annotators: list[JoinedAnnotator] = field(default_factory=list)
    codebooks: list[JoinedCodebook] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    decisions: list[DecisionConflict] = field(default_factory=list)
    unjoined: list[UnjoinedItem] = field(default_factory=list)
    assignments: int = 0
    """How many assignments are others than before."""
    notes: list[str] = field(default_factory=list)
    """What else is to be said, a sentence each."""
    on_replaced: int = 0
    """Events on replies that an import replaced since: they are in the history and do not count."""

    @property
    def events(self) -> int:
        """Return how many events are new to the file."""
        return sum(one.events for one in self.annotators)

    @property
    def changed(self) -> bool:
        """Say whether anything is new to the file."""
        return bool(self.events or self.codebooks or self.assignments)
