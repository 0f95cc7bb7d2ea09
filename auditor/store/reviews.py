"""What an annotator can do to an item, and what it changes: pure decisions over one review, no SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditor.model import ReviewState
from auditor.store.changes import INVALID, Change, Decided, Memo, OwnProbe, ReviewView, Ruling, TagRules, Validity

__all__ = [
    "ASIDES",
    "Bookmark",
    "Change",
    "Decide",
    "Defer",
    "Intent",
    "ItemIntent",
    "MarkAll",
    "MarkFirst",
    "MarkReviewed",
    "Memo",
    "NothingToTag",
    "OwnProbe",
    "PinMemo",
    "PutTags",
    "Redo",
    "Reveal",
    "ReviewView",
    "Ruling",
    "SetNote",
    "SetValidity",
    "TagRules",
    "ToggleTag",
    "Undo",
    "Validity",
    "WriteProbe",
    "decide",
    "intent_from_json",
    "intent_to_json",
]

ASIDES = frozenset({"bookmark", "unbookmark", "memo", "decide", "invalidate", "restore", "probe", "withdraw"})
"""Actions that do not touch the review: neither its state nor when, under what and how blindly it was made."""


@dataclass(frozen=True, slots=True)
class ToggleTag:
    """Put a tag on, or take it off with what counts as it; in an exclusive group it replaces the other."""

    tag: str
    on: bool | None = None
    """None = on where the item does not have it, and else off."""


@dataclass(frozen=True, slots=True)
class MarkReviewed:
    """All tags were considered; those not on the item are absent."""


@dataclass(frozen=True, slots=True)
class NothingToTag:
    """Reviewed, and no tag applies: takes all tags off."""


@dataclass(frozen=True, slots=True)
class Defer:
    """Put the item off, or take it up again."""


@dataclass(frozen=True, slots=True)
class SetNote:
    """Replace the note."""

    text: str


@dataclass(frozen=True, slots=True)
class PutTags:
    """Make the item reviewed, with these tags beside those it has; None keeps the note."""

    tags: tuple[str, ...]
    note: str | None = None
    state: ReviewState = ReviewState.REVIEWED
    """What the item becomes; an item that is further already stays so."""
    replace: bool = False
    """Whether the tags stand instead of those that the item has, and the state whatever it was."""
    first_cause: str | None = None
    """Which of the tags came first; empty = none of them, None = what is marked stays."""


@dataclass(frozen=True, slots=True)
class MarkFirst:
    """Mark a tag as the one that came first, and put it on the item where it is not; empty takes the mark off."""

    tag: str


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Put a bookmark on the item or take it off; None = whichever it is not."""

    on: bool | None = None


@dataclass(frozen=True, slots=True)
class PinMemo:
    """Write the memo at a place of the item; an empty text takes it away."""

    place: str
    number: int
    quote: str
    """What stands there; an older memo at the place keeps what stood there when it was pinned."""
    text: str


@dataclass(frozen=True, slots=True)
class Decide:
    """Decide of tags of the item as its adjudicator, in one act: rulings that stand from now on, and withdrawn ones."""

    rulings: tuple[Ruling, ...]
    withdrawn: tuple[str, ...] = ()
    """Tags of which nothing is decided any more."""


@dataclass(frozen=True, slots=True)
class SetValidity:
    """Say that the prediction counts nowhere, or that it counts, and why."""

    validity: Validity


@dataclass(frozen=True, slots=True)
class WriteProbe:
    """Write a probe of the run of the item's call, or put it in the place of the one of its name."""

    probe: OwnProbe


@dataclass(frozen=True, slots=True)
class MarkAll:
    """Do the same to several items in one act: a mark on or off, or reviewed; what is so already stays as it is."""

    response_ids: tuple[int, ...]
    on: bool
    tag: str | None = None
    """None = the items are deferred, or taken up again."""
    bookmark: bool = False
    """Whether it is about bookmarks instead."""
    done: str = ""
    """`reviewed` = reviewed as it is tagged now, `nothing` = reviewed without any tag; empty = it is about a mark."""

    @property
    def action(self) -> str:
        """Return the name of what is done to an item that is not so yet."""
        if self.done or self.bookmark:
            return self.done or ("bookmark" if self.on else "unbookmark")
        if self.tag is None:
            return "defer" if self.on else "resume"
        return "tag" if self.on else "untag"

    def for_one(self, view: ReviewView, rules: TagRules) -> ItemIntent | None:
        """Return what is to be done to one of the items; None where a mark is so already."""
        if self.done:
            return MarkReviewed() if self.done == "reviewed" else NothingToTag()
        if self.bookmark:
            return Bookmark(self.on) if view.bookmarked is not self.on else None
        if self.tag is None:
            return Defer() if (view.state is ReviewState.DEFERRED) is not self.on else None
        there = any(rules.counted(tag) == rules.counted(self.tag) for tag in view.tags)
        return ToggleTag(self.tag) if there is not self.on else None


@dataclass(frozen=True, slots=True)
class Reveal:
    """Show what a blind review hides of the item. It changes nothing of the review and cannot be undone."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Revert the annotator's last own action, on whatever item it was."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Do the action again that was undone last."""


ItemIntent = (
    ToggleTag
    | MarkReviewed
    | NothingToTag
    | Defer
    | SetNote
    | PutTags
    | MarkFirst
    | Bookmark
    | PinMemo
    | Decide
    | SetValidity
    | WriteProbe
)
Intent = ItemIntent | MarkAll | Reveal | Undo | Redo

_INTENTS: dict[str, Callable[..., Intent]] = {
    kind.__name__: kind
    for kind in (
        ToggleTag,
        MarkReviewed,
        NothingToTag,
        Defer,
        SetNote,
        MarkFirst,
        Bookmark,
        PinMemo,
        Decide,
        SetValidity,
        WriteProbe,
        MarkAll,
        Reveal,
        Undo,
        Redo,
    )
}


def intent_to_json(intent: Intent) -> dict[str, Any]:
    """Return an intent as a JSON object, for the side file of unsaved work."""
    fields = {name: getattr(intent, name) for name in getattr(intent, "__slots__", ())}
    return {"intent": type(intent).__name__, **fields}


def intent_from_json(value: Mapping[str, Any]) -> Intent:
    """Read back what `intent_to_json` made; raises KeyError or TypeError for anything else."""
    fields = {name: item for name, item in value.items() if name != "intent"}
    # JSON has no tuples.
    fields = {name: tuple(item) if isinstance(item, list) else item for name, item in fields.items()}
    if "rulings" in fields:
        fields["rulings"] = tuple(map(Ruling.from_parts, fields["rulings"]))
    if "validity" in fields:
        fields["validity"] = Validity(*fields["validity"])
    if "probe" in fields:
        fields["probe"] = OwnProbe.from_parts(fields["probe"])
    return _INTENTS[value["intent"]](**fields)


def decide(view: ReviewView, intent: ItemIntent, rules: TagRules) -> tuple[str, Change]:
    """Return the action's name and what it changes; an empty change when there is nothing to do.

    A tag that is taken off is the first cause no longer. Raises KeyError for a tag that the rules do not know.
    """
    action, change = _decided(view, intent, rules)
    if view.first_cause in change.remove and change.first is None:
        change = replace(change, first=(view.first_cause, ""))
    return action, change


def _decided(view: ReviewView, intent: ItemIntent, rules: TagRules) -> tuple[str, Change]:
    match intent:
        case ToggleTag(tag, on):
            same = _same(view, tag, rules)
            if on if on is not None else not same:
                return "tag", Change() if same else _added(view, tag, rules)
            return "untag", Change(remove=same, state=_to(view, _begun(view))) if same else Change()
        case MarkReviewed():
            return "reviewed", Change(state=_to(view, ReviewState.REVIEWED))
        case NothingToTag():
            return "nothing", Change(remove=view.tags, state=_to(view, ReviewState.REVIEWED))
        case Defer():
            if view.state is ReviewState.DEFERRED:
                touched = view.tags or view.note
                back = ReviewState.IN_PROGRESS if touched else ReviewState.NOT_REVIEWED
                return "resume", Change(state=_to(view, back))
            return "defer", Change(state=_to(view, ReviewState.DEFERRED))
        case SetNote(text):
            if text == view.note:
                return "note", Change()
            begun = view.state if view.state is ReviewState.DEFERRED else _begun(view)
            return "note", Change(note=(view.note, text), state=_to(view, begun))
        case PutTags():
            return "put", _put(view, intent, rules)
        case MarkFirst(tag):
            return _mark_first(view, tag, rules)
        case Bookmark(on):
            wanted = not view.bookmarked if on is None else on
            change = Change() if wanted is view.bookmarked else Change(bookmark=(view.bookmarked, wanted))
            return "bookmark" if wanted else "unbookmark", change
        case PinMemo(place, number, quote, text):
            return "memo", _pin(view, place, number, quote, text)
        case Decide(rulings, withdrawn):
            return "decide", _ruled(view, rulings, withdrawn, rules)
        case SetValidity(wanted):
            said = Change() if view.validity == wanted else Change(validity=(view.validity, wanted))
            return "invalidate" if wanted.verdict == INVALID else "restore", said
        case WriteProbe(probe):
            there = view.probe_named(probe.name)
            written = Change() if there == probe else Change(probe=(there, probe))
            return "withdraw" if probe.withdrawn else "probe", written


def _same(view: ReviewView, tag: str, rules: TagRules) -> tuple[str, ...]:
    """Return the tags of an item that count as one; raises KeyError for a tag that the rules do not know."""
    rules.replaces[tag]
    return tuple(one for one in view.tags if rules.counted(one) == rules.counted(tag))


def _added(view: ReviewView, tag: str, rules: TagRules) -> Change:
    removed = tuple(one for one in view.tags if one in rules.replaces[tag])
    return Change(add=(tag,), remove=removed, state=_to(view, _begun(view)))


def _mark_first(view: ReviewView, tag: str, rules: TagRules) -> tuple[str, Change]:
    if not tag:
        return "first", Change(first=(view.first_cause, "")) if view.first_cause else Change()
    same = _same(view, tag, rules)
    if not same:
        return "tag", replace(_added(view, tag, rules), first=(view.first_cause, tag))
    return "first", Change() if view.first_cause in same else Change(first=(view.first_cause, same[0]))


def _pin(view: ReviewView, place: str, number: int, quote: str, text: str) -> Change:
    there = view.memo_at(place, number)
    before, wanted = (there.text if there else "", text if text.strip() else "")
    return (
        Change(memo=(place, number, there.quote if there else quote, before, wanted)) if wanted != before else Change()
    )


def _ruled(view: ReviewView, rulings: Sequence[Ruling], withdrawn: Sequence[str], rules: TagRules) -> Change:
    """Change the rulings on tags; those on what counts as one of them give way."""
    wanted = {ruling.tag: ruling for ruling in rulings}
    for tag in (*wanted, *withdrawn):
        rules.replaces[tag]
    about = {rules.counted(tag) for tag in (*wanted, *withdrawn)}
    before = {ruling.tag: ruling for ruling in view.rulings if rules.counted(ruling.tag) in about}
    changed = (Decided(tag, before.get(tag), wanted.get(tag)) for tag in sorted({*before, *wanted}))
    return Change(decided=tuple(one for one in changed if one.before != one.after))


def _put(view: ReviewView, intent: PutTags, rules: TagRules) -> Change:
    excluded = frozenset[str]().union(*(rules.replaces[tag] for tag in intent.tags))
    there, wanted = set(map(rules.counted, view.tags)), set(map(rules.counted, intent.tags))
    fresh = tuple(sorted(tag for tag in set(intent.tags) if rules.counted(tag) not in there))
    gone = tuple(t for t in view.tags if rules.counted(t) not in wanted and (intent.replace or t in excluded))
    renoted = (view.note, intent.note) if intent.note is not None and intent.note != view.note else None
    further = not intent.replace and _PROGRESS.index(view.state) > _PROGRESS.index(intent.state)
    state = _to(view, view.state if further else intent.state)
    first = None
    if intent.first_cause is not None and rules.counted(intent.first_cause) != rules.counted(view.first_cause):
        left = sorted((set(view.tags) - set(gone)) | set(fresh))
        same = [tag for tag in left if rules.counted(tag) == rules.counted(intent.first_cause)]
        target = same[0] if same else ""
        first = (view.first_cause, target) if target != view.first_cause else None
    return Change(add=fresh, remove=gone, note=renoted, state=state, first=first)


_PROGRESS = (ReviewState.NOT_REVIEWED, ReviewState.IN_PROGRESS, ReviewState.DEFERRED, ReviewState.REVIEWED)


def _begun(view: ReviewView) -> ReviewState:
    return view.state if view.state is ReviewState.REVIEWED else ReviewState.IN_PROGRESS


def _to(view: ReviewView, state: ReviewState) -> tuple[str, str] | None:
    return None if view.state is state else (view.state.value, state.value)
