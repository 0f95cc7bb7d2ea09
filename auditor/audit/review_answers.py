"""What a review session hands out and answers: the queue's rows, and what became of an action, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.model import ReviewState, Status
from auditor.store.reviews import Change, ReviewView


class TagChoice(NamedTuple):
    """A tag as the tag bar shows it."""

    id: str
    name: str
    key: str
    group: str | None
    exclusive: bool
    definition: str


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One line of the queue."""

    index: int
    response_id: int
    case: str
    arm: str
    setting: str
    sample: int
    status: Status | None
    mode: str | None
    lines: int
    state: ReviewState
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Saved:
    """An action that is in the audit file."""

    response_id: int
    review: ReviewView
    message: str


@dataclass(frozen=True, slots=True)
class Pending:
    """An action that is kept beside the audit file until that can be written; `message` says why."""

    response_id: int
    review: ReviewView
    message: str


@dataclass(frozen=True, slots=True)
class Refused:
    """An action that changed nothing, and why."""

    response_id: int | None
    message: str


def describe_change(action: str, change: Change, names: dict[str, str]) -> str:
    """Say in a few words what an action did."""

    def tags(ids: Sequence[str]) -> str:
        return ", ".join(names.get(tag, tag) for tag in ids)

    match action:
        case "tag":
            instead = f" instead of {tags(change.remove)}" if change.remove else ""
            return f"tag {tags(change.add)}{instead}"
        case "untag":
            return f"tag {tags(change.remove)} taken off"
        case "nothing":
            return "nothing to tag" + (f" ({tags(change.remove)} taken off)" if change.remove else "")
        case "defer":
            return "deferred"
        case "resume":
            return "taken up again"
        case "note":
            return "note" if change.note and change.note[1] else "note taken out"
        case _:
            return action
