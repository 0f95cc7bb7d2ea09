"""One annotator's work on one item, and what an action changes of it: values that are applied, reverted and kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from auditor.model import ReviewState
from auditor.store.json_column import dump_json, load_json

LINE, DIFFERENCE = "line", "difference"
"""Where a memo can be pinned: a line of the source, or a difference between oracle and prediction."""
MEMO_PLACES = (LINE, DIFFERENCE)


_WORD = re.compile(r"[a-z]+(-[a-z]+)*")
"""A kind or an answer type of a probe."""

PRESENT, ABSENT, UNRESOLVED = "present", "absent", "unresolved"
VERDICTS = (PRESENT, ABSENT, UNRESOLVED)
"""What an adjudicator can decide of a tag."""


class Ruling(NamedTuple):
    """What one adjudicator decided of one tag of an item."""

    tag: str
    verdict: str
    """One of VERDICTS."""
    note: str
    marks: tuple[tuple[str, bool], ...]
    """Who had reviewed the item when it was decided, in the order of the names, and whether they had put the tag."""

    @classmethod
    def from_parts(cls, parts: Sequence[Any]) -> Ruling:
        """Read back what JSON made of one; raises ValueError or TypeError for anything else."""
        tag, verdict, note, marks = parts
        if verdict not in VERDICTS or not isinstance(tag, str) or not isinstance(note, str):
            raise ValueError(f"no ruling: {parts!r}")
        return cls(tag, verdict, note, tuple((name, bool(put)) for name, put in marks))


class Decided(NamedTuple):
    """What an act made of one adjudicator's ruling on a tag; None = there is none."""

    tag: str
    before: Ruling | None
    after: Ruling | None


INVALID, VALID = "invalid", "valid"


class Validity(NamedTuple):
    """What an annotator said of a prediction: that it counts nowhere, since it was asked wrongly, or that it counts."""

    verdict: str
    """INVALID or VALID."""
    reason: str


class OwnProbe(NamedTuple):
    """A question about the run of an item's call that an annotator wrote; its answer was computed by running it."""

    kind: str
    line: int
    n: int | None
    """Which visit, iteration, end or evaluation; None where all are counted."""
    variable: str | None
    question: str
    dimensions: tuple[str, ...]
    answer: str
    """As JSON."""
    answer_type: str
    depth: int
    step: int
    """Of the trace: where the answer can be seen."""
    withdrawn: bool = False
    """Whether its writer has taken it back; it is kept, and goes nowhere."""

    @property
    def name(self) -> str:
        """Return what it is known by among those of its run: what it asks for, whatever the words."""
        return probe_name(self.kind, self.line, self.n, self.variable)

    @classmethod
    def from_parts(cls, parts: Sequence[Any]) -> OwnProbe:
        """Read back what JSON made of one; raises ValueError or TypeError for anything else."""
        kind, line, n, variable, question, dimensions, answer, answer_type, depth, step, withdrawn = parts
        numbers = (line, depth, step, 0 if n is None else n)
        texts = (question, answer, *dimensions, "" if variable is None else variable)
        known = isinstance(withdrawn, bool) and all(_WORD.fullmatch(one) for one in (kind, answer_type))
        if not (known and all(type(one) is int for one in numbers) and all(isinstance(one, str) for one in texts)):
            raise ValueError(f"no probe: {parts!r}")
        json.loads(answer)
        asked = (kind, line, n, variable, question, tuple(dimensions))
        return cls(*asked, answer, answer_type, depth, step, withdrawn)


def probe_name(kind: object, line: object, n: object, variable: object) -> str:
    """Return the name of what a probe asks for: `value-at-visit/line-8/2/total`."""
    parts = (kind, f"line-{line}", "all" if n is None else n, variable)
    return "/".join(str(part) for part in parts if part is not None)


class Memo(NamedTuple):
    """What an annotator wrote at a place of an item; a place has one memo at most."""

    place: str
    """One of MEMO_PLACES."""
    number: int
    """Of the line or the difference, counted from 1."""
    quote: str
    """The beginning of what stood there when the memo was pinned."""
    text: str


@dataclass(frozen=True, slots=True)
class ReviewView:
    """One annotator's work on one item under one codebook."""

    state: ReviewState = ReviewState.NOT_REVIEWED
    tags: tuple[str, ...] = ()
    """Tag ids, sorted."""
    note: str = ""
    updated_at: str | None = None
    """When the review was touched last; bookmarks and memos do not touch it."""
    revealed: bool = False
    """Whether the annotator had shown what a blind review hides of the item."""
    first_cause: str = ""
    """The one of the tags that came first and led to the others; empty where none is marked."""
    bookmarked: bool = False
    memos: tuple[Memo, ...] = ()
    """In the order of their places."""
    rulings: tuple[Ruling, ...] = ()
    """What the annotator decided as an adjudicator, in the order of the tags."""
    validity: Validity | None = None
    """What the annotator said of whether the prediction counts; None = nothing."""
    probes: tuple[OwnProbe, ...] = ()
    """What the annotator wrote about the run of the item's call, in the order of the names."""

    def probe_named(self, name: str) -> OwnProbe | None:
        """Return the probe of a name."""
        return next((probe for probe in self.probes if probe.name == name), None)

    def ruling_on(self, tag: str) -> Ruling | None:
        """Return what the annotator decided of a tag."""
        return next((ruling for ruling in self.rulings if ruling.tag == tag), None)

    def memo_at(self, place: str, number: int) -> Memo | None:
        """Return the memo at a place."""
        return next((memo for memo in self.memos if (memo.place, memo.number) == (place, number)), None)


def in_order(memos: Iterable[Memo]) -> tuple[Memo, ...]:
    """Return memos in the order of their places: lines, then differences."""
    return tuple(sorted(memos, key=lambda memo: (MEMO_PLACES.index(memo.place), memo.number)))


def by_name(probes: Iterable[OwnProbe]) -> tuple[OwnProbe, ...]:
    """Return probes in the order of their names."""
    return tuple(sorted(probes, key=lambda probe: probe.name))


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
class Change:
    """What one action changed on one item; enough to apply it and to revert it. Pairs are from and to."""

    state: tuple[str, str] | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    note: tuple[str, str] | None = None
    first: tuple[str, str] | None = None
    """The first cause; empty = none."""
    bookmark: tuple[bool, bool] | None = None
    memo: tuple[str, int, str, str, str] | None = None
    """Place, number, quote, and the text from and to; empty = there is none."""
    decided: tuple[Decided, ...] = ()
    validity: tuple[Validity | None, Validity | None] | None = None
    probe: tuple[OwnProbe | None, OwnProbe | None] | None = None
    """One of a name, from and to; None = there is none."""

    @property
    def empty(self) -> bool:
        return self == Change()

    def inverse(self) -> Change:
        """Return the change that reverts this one."""
        return Change(
            state=self.state and (self.state[1], self.state[0]),
            add=self.remove,
            remove=self.add,
            note=self.note and (self.note[1], self.note[0]),
            first=self.first and (self.first[1], self.first[0]),
            bookmark=self.bookmark and (self.bookmark[1], self.bookmark[0]),
            memo=self.memo and (*self.memo[:3], self.memo[4], self.memo[3]),
            decided=tuple(Decided(tag, after, before) for tag, before, after in self.decided),
            validity=self.validity and (self.validity[1], self.validity[0]),
            probe=self.probe and (self.probe[1], self.probe[0]),
        )

    def fitted(self, view: ReviewView, rules: TagRules) -> Change:
        """Return what of this change still applies to a view that something else, such as an import, changed since.

        What is another by now stays as it is; nothing that still has tags becomes not reviewed, and what is no tag of
        the item is not its first cause.
        """
        add = tuple(tag for tag in self.add if tag not in view.tags)
        excluded = frozenset[str]().union(*(rules.replaces.get(tag, frozenset()) for tag in add))
        remove = tuple(tag for tag in view.tags if tag in self.remove or tag in excluded)
        note = self.note if self.note and self.note[0] == view.note else None
        state = self.state if self.state and self.state[0] == view.state.value else None
        tags = (set(view.tags) - set(remove)) | set(add)
        if state and state[1] == ReviewState.NOT_REVIEWED and (tags or (note[1] if note else view.note)):
            begun = ReviewState.IN_PROGRESS
            state = None if view.state is begun else (view.state.value, begun.value)
        bookmark = self.bookmark if self.bookmark and self.bookmark[0] == view.bookmarked else None
        memo = self.memo if self.memo and self.memo[3] == _text_at(view, *self.memo[:2]) else None
        decided = tuple(one for one in self.decided if one.before == view.ruling_on(one.tag))
        validity = self.validity if self.validity and self.validity[0] == view.validity else None
        probe = self.probe if self.probe and self.probe[0] == view.probe_named(_name_of(self.probe)) else None
        first = self._fitted_first(view, tags)
        return Change(state, add, remove, note, first, bookmark, memo, decided, validity, probe)

    def joined(self, view: ReviewView, rules: TagRules, *, none: bool = False) -> Change:
        """Return what this change comes to on a view that the same annotator changed elsewhere meanwhile.

        It says the last word on what it is about: unlike a fitted one it does not give way to what is another by now.
        `none` says that it is about all tags: nothing applies.
        """
        excluded = frozenset[str]().union(*(rules.replaces.get(tag, frozenset()) for tag in self.add))
        gone = view.tags if none else {*self.remove, *excluded}
        remove = tuple(tag for tag in view.tags if tag in gone and tag not in self.add)
        tags = (set(view.tags) - set(remove)) | set(self.add)
        state = self.state
        if (state[1] if state else view.state) == ReviewState.NOT_REVIEWED and (
            tags or (self.note[1] if self.note else view.note)
        ):
            state = (view.state.value, ReviewState.IN_PROGRESS.value)
        wanted = self.first[1] if self.first else view.first_cause
        first = (view.first_cause, wanted if wanted in tags else "")
        return replace(self, state=state, remove=remove, first=first if first[0] != first[1] else None)

    def _fitted_first(self, view: ReviewView, tags: set[str]) -> tuple[str, str] | None:
        wanted = self.first[1] if self.first and self.first[0] == view.first_cause else view.first_cause
        wanted = wanted if wanted in tags else ""
        return None if wanted == view.first_cause else (view.first_cause, wanted)

    def apply(self, view: ReviewView, at: str | None) -> ReviewView:
        """Return the view after this change at a time; None when it does not touch the review."""
        memos = view.memos
        if self.memo:
            place, number, quote, _, text = self.memo
            left = (memo for memo in memos if (memo.place, memo.number) != (place, number))
            memos = in_order([*left, *([Memo(place, number, quote, text)] if text else [])])
        rulings = view.rulings
        if self.decided:
            about = {one.tag for one in self.decided}
            kept = [ruling for ruling in rulings if ruling.tag not in about]
            rulings = tuple(sorted([*kept, *(one.after for one in self.decided if one.after is not None)]))
        probes = view.probes
        if self.probe:
            name, after = _name_of(self.probe), self.probe[1]
            others = tuple(one for one in probes if one.name != name)
            probes = others if after is None else by_name([*others, after])
        return ReviewView(
            state=ReviewState(self.state[1]) if self.state else view.state,
            tags=tuple(sorted((set(view.tags) - set(self.remove)) | set(self.add))),
            note=self.note[1] if self.note else view.note,
            updated_at=view.updated_at if at is None else at,
            revealed=view.revealed,
            first_cause=self.first[1] if self.first else view.first_cause,
            bookmarked=self.bookmark[1] if self.bookmark else view.bookmarked,
            memos=memos,
            rulings=rulings,
            validity=self.validity[1] if self.validity else view.validity,
            probes=probes,
        )

    def to_json(self) -> str:
        """Return the change as ASCII JSON, so that any text survives any column and file."""
        value: dict[str, Any] = {}
        for name in ("state", "add", "remove", "note", "first", "bookmark", "memo", "decided", "validity", "probe"):
            part = getattr(self, name)
            if part:
                value[name] = list(part)
        return dump_json(value)

    @classmethod
    def from_json(cls, text: str) -> Change:
        value = load_json(text)
        decided = tuple(
            Decided(tag, *(one and Ruling.from_parts(one) for one in rulings))
            for tag, *rulings in value.pop("decided", ())
        )
        said = value.pop("validity", None)
        before, after = (one and Validity(*one) for one in said or (None, None))
        validity = None if said is None else (before, after)
        wrote = value.pop("probe", None)
        first, last = (one and OwnProbe.from_parts(one) for one in wrote or (None, None))
        probe = None if wrote is None else (first, last)
        parts = {name: tuple(part) for name, part in value.items()}
        return cls(**parts, decided=decided, validity=validity, probe=probe)


def _name_of(probe: tuple[OwnProbe | None, OwnProbe | None]) -> str:
    """Return the name of what changes; the two are of one name, and at least one is there."""
    return next(one.name for one in probe if one is not None)


def _text_at(view: ReviewView, place: str, number: int) -> str:
    memo = view.memo_at(place, number)
    return memo.text if memo else ""
