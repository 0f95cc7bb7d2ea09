"""What a review session hands out and answers: the queue's rows, and what became of an action, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from auditor.codebook import Codebook
from auditor.model import ReviewState, Status
from auditor.store.changes import Decided, OwnProbe
from auditor.store.reviews import Change, ReviewView, TagRules

BOOKMARK = "★"
"""How a bookmark is shown, wherever it is."""


class TagChoice(NamedTuple):
    """A tag as the tag bar shows it."""

    id: str
    name: str
    key: str
    definition: str
    decision_rule: str
    example: str
    group: str
    """The name of its group; empty without one."""
    one_of_group: bool
    """Whether an item has at most one tag of the group."""
    alone: bool
    """Whether an item that has it has no other tag."""


def tag_choices(codebook: Codebook) -> tuple[TagChoice, ...]:
    """Return a codebook's tags as a screen offers them; retired ones, which have no key, come last."""
    groups = {group.id: group for group in codebook.groups}
    choices = []
    for tag in (*codebook.active, *(tag for tag in codebook.tags if tag.retired)):
        group = groups.get(tag.group or "")
        name, one = (group.name, group.exclusive) if group else ("", False)
        texts = (tag.definition, tag.decision_rule, tag.example)
        choices.append(TagChoice(tag.id, tag.name, tag.key, *texts, name, one, tag.exclusive))
    return tuple(choices)


def as_counted(view: ReviewView, rules: TagRules) -> ReviewView:
    """Return a review with each tag as the one that it counts as, for a screen that shows it."""
    tags, first = tuple(sorted(set(map(rules.counted, view.tags)))), rules.counted(view.first_cause)
    return view if (tags, first) == (view.tags, view.first_cause) else replace(view, tags=tags, first_cause=first)


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
    bookmarked: bool = False


class Saved(NamedTuple):
    """An action that is in the audit file."""

    response_id: int
    review: ReviewView
    message: str
    recorded: bool = True
    """Whether the action changed anything, so that the history has it."""
    items: int = 1
    """How many items it was done to."""


class Pending(NamedTuple):
    """An action that is kept beside the audit file until that can be written; `message` says why."""

    response_id: int
    review: ReviewView
    message: str


class Refused(NamedTuple):
    """An action that changed nothing, and why."""

    response_id: int | None
    message: str


def describe_queue(
    where: str | None,
    order: str,
    seed: int,
    take: int | None,
    per: Sequence[str],
    *,
    kind: Sequence[str] = (),
    own_seed: int | None = None,
) -> str:
    """Say in a few words which items a queue has and in which order: `status:wrong · smallest · 2 per setting`.

    `kind` says what kind of review it is; a filter of None is not spoken of. `own_seed` is what a blind review made of
    the seed and the annotator's name: `random, seed 7 of your own (1234)`.
    """
    own = "" if own_seed is None else f" of your own ({own_seed})"
    filtered = [] if where is None else [where or "everything"]
    words = [*kind, *filtered, order if order != "random" else f"random, seed {seed}{own}"]
    if take is not None:
        words.append(f"{take} per {', '.join(per)}" if per else f"the first {take}")
    return " · ".join(words)


def queue_kind(*, assigned: bool = False, blind: bool, overlap: int | None = None) -> list[str]:
    """Say what kind of review goes through a queue, for `describe_queue`."""
    whose = ["assigned to you"] if assigned else []
    shared = [] if overlap is None else [f"overlap {overlap:,}"]
    return whose + (["blind"] if blind else []) + shared


def describe_progress(counts: Mapping[ReviewState, int]) -> str:
    """Say how far a queue is: `14 reviewed, 1 deferred, 2 begun, 197 open`."""
    order = (
        (ReviewState.REVIEWED, "reviewed"),
        (ReviewState.DEFERRED, "deferred"),
        (ReviewState.IN_PROGRESS, "begun"),
        (ReviewState.NOT_REVIEWED, "open"),
    )
    return ", ".join(f"{counts[state]:,} {word}" for state, word in order)


def describe_change(action: str, change: Change, names: dict[str, str]) -> str:
    """Say in a few words what an action did."""

    def tags(ids: Sequence[str]) -> str:
        return ", ".join(names.get(tag, tag) for tag in ids)

    match action:
        case "tag":
            instead = f" instead of {tags(change.remove)}" if change.remove else ""
            return f"tag {tags(change.add)}{instead}{_first_words(change, tags)}"
        case "untag":
            return f"tag {tags(change.remove)} taken off{_first_words(change, tags)}"
        case "first":
            return _first_words(change, tags).removeprefix(", ")
        case "nothing":
            return "nothing to tag" + (f" ({tags(change.remove)} taken off)" if change.remove else "")
        case "defer":
            return "deferred"
        case "resume":
            return "taken up again"
        case "reveal":
            return "everything about the item is shown, and the history keeps that"
        case "note":
            return "note" if change.note and change.note[1] else "note taken out"
        case "bookmark" | "unbookmark":
            return "bookmark" if change.bookmark and change.bookmark[1] else "bookmark taken off"
        case "memo":
            return "memo" if change.memo is None else describe_memo(change.memo)
        case "probe" | "withdraw":
            return _probe_words(change.probe)
        case "decide":
            return _decided_words(change.decided, tags)
        case _:
            return action


def describe_memo(memo: tuple[str, int, str, str, str]) -> str:
    """Say what became of a memo: `memo on line 12`, `memo on difference 2 taken out`."""
    place, number, _, _, text = memo
    return f"memo on {place} {number}{'' if text else ' taken out'}"


def _probe_words(probe: tuple[OwnProbe | None, OwnProbe | None] | None) -> str:
    """Say what became of a probe: `probe branch/line-4/2 written`."""
    before, after = probe or (None, None)
    if after is None:
        return f"probe {before.name} gone" if before else "probe"
    if after.withdrawn:
        return f"probe {after.name} withdrawn"
    if before is None:
        return f"probe {after.name} written"
    return f"probe {after.name} {'taken up again' if before.withdrawn else 'changed'}"


def _decided_words(decided: Sequence[Decided], tags: Callable[[Sequence[str]], str]) -> str:
    """Say what an act made of decisions: `copying present`; of one of which only the note is another, that it is."""
    noted = [one for one in decided if one.before and one.after and one.before.verdict == one.after.verdict]
    noted = [one for one in noted if one.before and one.after and one.before.note != one.after.note]
    words = [
        f"{tags([one.tag])} {one.after.verdict if one.after else 'undecided'}" for one in decided if one not in noted
    ]
    for kept in (True, False):
        if about := [one.tag for one in noted if bool(one.after and one.after.note) is kept]:
            words.append(f"note of the decision on {tags(about)}{'' if kept else ' taken out'}")
    return ", ".join(words) or "a decision of which nothing is left"


def _first_words(change: Change, tags: Callable[[Sequence[str]], str]) -> str:
    """Say what a change makes of the first cause; empty when nothing."""
    if change.first is None:
        return ""
    before, after = change.first
    return f", first cause {tags([after])}" if after else f", first cause {tags([before])} no longer"


def describe_act(action: str, words: str, items: int) -> str:
    """Say of how many items an act on several was: `deferred 40 items`, `tag copying: 40 items`.

    `words` are those of one of them; which tags gave way or were taken off is not the same on all.
    """
    if action == "reviewed":
        return f"{items:,} items reviewed"
    if action == "nothing":
        return f"{items:,} items reviewed without tags"
    of_all, _, _ = words.partition(" instead of ")
    return f"{of_all} {items:,} items" if of_all == "deferred" else f"{of_all}: {items:,} items"
