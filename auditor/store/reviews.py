"""What an annotator can do to an item, and what it changes: pure decisions over one review, no SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from auditor.model import ReviewState
from auditor.store.json_column import dump_json, load_json


@dataclass(frozen=True, slots=True)
class ReviewView:
    """One annotator's work on one item under one codebook."""

    state: ReviewState = ReviewState.NOT_REVIEWED
    tags: tuple[str, ...] = ()
    """Tag ids, sorted."""
    note: str = ""
    updated_at: str | None = None
    revealed: bool = False
    """Whether the annotator had shown what a blind review hides of the item."""


@dataclass(frozen=True, slots=True)
class TagRules:
    """What a codebook says of its tags when one is put on an item; ids of former and retired tags are known too."""

    replaces: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """For each tag those that it takes the place of."""
    counts_as: Mapping[str, str] = field(default_factory=dict)
    """For each tag the one that it counts as; itself where it is not there."""

    def counted(self, tag: str) -> str:
        """Return the tag that one counts as."""
        return self.counts_as.get(tag, tag)


@dataclass(frozen=True, slots=True)
class ToggleTag:
    """Put a tag on, or take it off with what counts as it; in an exclusive group it replaces the other."""

    tag: str


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


@dataclass(frozen=True, slots=True)
class MarkAll:
    """Put the same mark on several items, or take it off them, in one act; what is so already stays as it is."""

    response_ids: tuple[int, ...]
    on: bool
    tag: str | None = None
    """None = the items are deferred, or taken up again."""

    def for_one(self, view: ReviewView, rules: TagRules) -> ToggleTag | Defer | None:
        """Return what is to be done to one of the items; None where it is so already."""
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


ItemIntent = ToggleTag | MarkReviewed | NothingToTag | Defer | SetNote | PutTags
Intent = ItemIntent | MarkAll | Reveal | Undo | Redo

_INTENTS: dict[str, Callable[..., Intent]] = {
    kind.__name__: kind for kind in (ToggleTag, MarkReviewed, NothingToTag, Defer, SetNote, MarkAll, Reveal, Undo, Redo)
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
    return _INTENTS[value["intent"]](**fields)


@dataclass(frozen=True, slots=True)
class Change:
    """What one action changed on one item; enough to apply it and to revert it."""

    state: tuple[str, str] | None = None
    """From and to."""
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    note: tuple[str, str] | None = None
    """From and to."""

    @property
    def empty(self) -> bool:
        return self.state is None and not self.add and not self.remove and self.note is None

    def inverse(self) -> Change:
        """Return the change that reverts this one."""
        return Change(
            state=self.state and (self.state[1], self.state[0]),
            add=self.remove,
            remove=self.add,
            note=self.note and (self.note[1], self.note[0]),
        )

    def fitted(self, view: ReviewView, rules: TagRules) -> Change:
        """Return what of this change still applies to a view that something else, such as an import, changed since.

        A state or note that is another by now stays as it is; nothing that still has tags becomes not reviewed.
        """
        add = tuple(tag for tag in self.add if tag not in view.tags)
        excluded = frozenset[str]().union(*(rules.replaces.get(tag, frozenset()) for tag in add))
        remove = tuple(tag for tag in view.tags if tag in self.remove or tag in excluded)
        note = self.note if self.note and self.note[0] == view.note else None
        state = self.state if self.state and self.state[0] == view.state.value else None
        left = ((set(view.tags) - set(remove)) | set(add)) or (note[1] if note else view.note)
        if state and state[1] == ReviewState.NOT_REVIEWED and left:
            state = _to(view, ReviewState.IN_PROGRESS)
        return Change(state, add, remove, note)

    def apply(self, view: ReviewView, at: str) -> ReviewView:
        """Return the view after this change at a time."""
        return ReviewView(
            state=ReviewState(self.state[1]) if self.state else view.state,
            tags=tuple(sorted((set(view.tags) - set(self.remove)) | set(self.add))),
            note=self.note[1] if self.note else view.note,
            updated_at=at,
            revealed=view.revealed,
        )

    def to_json(self) -> str:
        """Return the change as ASCII JSON, so that any text survives any column and file."""
        value: dict[str, Any] = {}
        for name in ("state", "add", "remove", "note"):
            part = getattr(self, name)
            if part:
                value[name] = list(part)
        return dump_json(value)

    @classmethod
    def from_json(cls, text: str) -> Change:
        value = load_json(text)
        return cls(**{name: tuple(part) for name, part in value.items()})


def decide(view: ReviewView, intent: ItemIntent, rules: TagRules) -> tuple[str, Change]:
    """Return the action's name and what it changes; an empty change when there is nothing to do.

    Raises KeyError for a tag that the rules do not know.
    """
    match intent:
        case ToggleTag(tag):
            others = rules.replaces[tag]
            same = tuple(t for t in view.tags if rules.counted(t) == rules.counted(tag))
            if same:
                return "untag", Change(remove=same, state=_to(view, _begun(view)))
            removed = tuple(t for t in view.tags if t in others)
            return "tag", Change(add=(tag,), remove=removed, state=_to(view, _begun(view)))
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


def _put(view: ReviewView, intent: PutTags, rules: TagRules) -> Change:
    excluded = frozenset[str]().union(*(rules.replaces[tag] for tag in intent.tags))
    there, wanted = set(map(rules.counted, view.tags)), set(map(rules.counted, intent.tags))
    fresh = tuple(sorted(tag for tag in set(intent.tags) if rules.counted(tag) not in there))
    gone = tuple(t for t in view.tags if rules.counted(t) not in wanted and (intent.replace or t in excluded))
    renoted = (view.note, intent.note) if intent.note is not None and intent.note != view.note else None
    further = not intent.replace and _PROGRESS.index(view.state) > _PROGRESS.index(intent.state)
    return Change(add=fresh, remove=gone, note=renoted, state=_to(view, view.state if further else intent.state))


_PROGRESS = (ReviewState.NOT_REVIEWED, ReviewState.IN_PROGRESS, ReviewState.DEFERRED, ReviewState.REVIEWED)


def _begun(view: ReviewView) -> ReviewState:
    return view.state if view.state is ReviewState.REVIEWED else ReviewState.IN_PROGRESS


def _to(view: ReviewView, state: ReviewState) -> tuple[str, str] | None:
    return None if view.state is state else (view.state.value, state.value)
