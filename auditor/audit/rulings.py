"""What an adjudicator sees of an item and what a decision makes of it: pure decisions over values, no SQL, no screen.

Only what the annotators differ on is asked about. A decision that nobody's marks support needs a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from auditor.codebook import Codebook, Tag
from auditor.errors import InputError
from auditor.store.changes import ABSENT, PRESENT, UNRESOLVED, Ruling
from auditor.store.decisions import ADJUDICATED, OPEN, UNANIMOUS, Decision, Standing, Voice
from auditor.store.reviews import Decide
from auditor.text import counted, visible_line


class NoteNeededError(InputError):
    """A decision that overrides everyone has no note yet."""


@dataclass(frozen=True, slots=True)
class TagRow:
    """One tag of an item: each annotator's mark, and what is decided."""

    tag: Tag
    group: str
    """The name of its group; empty without one."""
    one_of_group: bool
    """Whether the group is decided as one choice."""
    marks: tuple[bool, ...]
    """Whether each of the item's annotators put it, in their order."""
    source: str
    """`unanimous`, `adjudicated`, `unresolved`, or `open` = it needs a decision."""
    decision: Decision | None
    is_stale: bool
    """Whether the marks are no longer those that it was decided on."""
    waiting: str = ""
    """The note that was written for the decision to come; empty where there is none, or something is decided."""

    @property
    def needs_decision(self) -> bool:
        """Say whether it is open, or was decided on other marks than those of now."""
        return self.source == OPEN or self.is_stale

    @property
    def is_agreed(self) -> bool:
        """Say whether all annotators agree on it and nothing is decided."""
        return self.source == UNANIMOUS

    @property
    def present(self) -> bool | None:
        """Return the final value; None where there is none."""
        if self.source == UNANIMOUS:
            return any(self.marks)
        return self.decision.ruling.verdict == PRESENT if self.source == ADJUDICATED and self.decision else None


@dataclass(frozen=True, slots=True)
class Case:
    """An item as its adjudicator sees it."""

    response_id: int
    voices: tuple[Voice, ...]
    """Who reviewed it."""
    rows: tuple[TagRow, ...]
    """All tags of the codebook in its order, and then those that are retired but were put."""
    state: str | None
    """One of the states of an item; see `auditor.store.decisions`."""

    def row_of(self, tag: str) -> TagRow:
        """Return the row of a tag. Raises KeyError for a tag that has none."""
        for row in self.rows:
            if row.tag.id == tag:
                return row
        raise KeyError(tag)

    @property
    def needing(self) -> tuple[TagRow, ...]:
        """Return the rows that need a decision."""
        return tuple(row for row in self.rows if row.needs_decision)


def make_case(
    book: Codebook, response_id: int, standing: Standing, waiting: Mapping[str, str] = MappingProxyType({})
) -> Case:
    """Put together what an adjudicator sees of an item; `waiting` are notes for decisions to come, by tag."""
    groups = {group.id: group for group in book.groups}
    mentioned = standing.tags() | waiting.keys()
    known = {tag.id for tag in book.tags}
    others = [Tag(tag, tag, "", retired=True) for tag in sorted(mentioned - known)]
    tags = [*book.active, *(tag for tag in book.tags if tag.retired and tag.id in mentioned), *others]
    rows = []
    for tag in tags:
        group = groups.get(tag.group or "")
        rows.append(
            TagRow(
                tag,
                group.name if group else "",
                bool(group and group.exclusive),
                tuple(tag.id in voice.tags for voice in standing.voices),
                standing.source(tag.id),
                standing.decisions.get(tag.id),
                standing.is_stale(tag.id),
                "" if tag.id in standing.decisions else waiting.get(tag.id, ""),
            )
        )
    return Case(response_id, standing.voices, tuple(rows), standing.state)


# --- deciding ------------------------------------------------------------------------------------------------------


def decide_tags(book: Codebook, case: Case, verdicts: Sequence[tuple[str, str]], note: str | None = None) -> Decide:
    """Decide tags of an item in one act, each `present`, `absent` or `unresolved`.

    A tag that is present makes those absent that an item cannot have beside it; an exclusive group of which one tag is
    unresolved is unresolved. Without a note the one of the same decision stays, and else the one that waits is
    taken. Raises NoteNeededError when a decision overrides everyone and has no note, InputError when nothing can be
    decided of the item.
    """
    _check_voices(case)
    wanted: dict[str, str] = {}
    for tag, verdict in verdicts:
        for one, implied in ((tag, verdict), *_implied(book, case, tag, verdict)):
            if wanted.get(one, implied) != implied:
                raise InputError(
                    f"{visible_line(one, 60)} cannot be both {wanted[one]} and {implied}.",
                    hint="Tags of an exclusive group are one choice.",
                )
            wanted[one] = implied
    rulings = tuple(_ruling(case, tag, verdict, note) for tag, verdict in wanted.items())
    without = [ruling for ruling in rulings if not ruling.note.strip()]
    if overridden := sorted({*_overriding(case, without), *_overriding_choices(book, case, rulings)}):
        shown = ", ".join(visible_line(one, 60) for one in overridden)
        raise NoteNeededError(
            f"this overrides everyone who reviewed the item ({shown}), which needs a note.", hint="Say why in a note."
        )
    return Decide(rulings)


def take_set(book: Codebook, case: Case, voice: int, note: str | None = None) -> Decide:
    """Decide as one annotator marked it, of all tags that the annotators differ on or that are decided already."""
    verdicts = [(row.tag.id, PRESENT if row.marks[voice] else ABSENT) for row in case.rows if row.source != UNANIMOUS]
    return decide_tags(book, case, verdicts, note)


def withdraw(case: Case, tags: Iterable[str]) -> Decide:
    """Decide nothing of some tags any more."""
    return Decide((), tuple(tags))


def _check_voices(case: Case) -> None:
    if len(case.voices) < 2:
        # Without a name: the screen can be hiding them.
        raise InputError(
            f"{'only one annotator' if case.voices else 'nobody'} has reviewed this item.",
            hint="What is adjudicated are items that at least two have reviewed.",
        )


def _implied(book: Codebook, case: Case, tag: str, verdict: str) -> Iterator[tuple[str, str]]:
    """Return what a verdict on a tag says of the tags that go with it."""
    row = case.row_of(tag)
    for other in case.rows:
        if other.tag.id == tag:
            continue
        put = any(other.marks) or other.present
        if verdict == PRESENT and put and other.tag.id in book.exclusions.get(tag, ()):
            yield other.tag.id, ABSENT
        if (
            verdict == UNRESOLVED
            and row.one_of_group
            and other.tag.group == row.tag.group
            and other.source != UNANIMOUS
        ):
            yield other.tag.id, UNRESOLVED


def _ruling(case: Case, tag: str, verdict: str, note: str | None) -> Ruling:
    row = case.row_of(tag)
    marks = sorted(zip((voice.annotator for voice in case.voices), row.marks, strict=True))
    if note is None:
        before = row.decision.ruling if row.decision else None
        note = before.note if before and before.verdict == verdict else row.waiting
    return Ruling(tag, verdict, note, tuple(marks))


def _overriding(case: Case, rulings: Iterable[Ruling]) -> Iterator[str]:
    """Return the tags on which all annotators agree, and that are decided otherwise."""
    for ruling in rulings:
        marks = {put for _, put in ruling.marks}
        if len(marks) == 1 and ruling.verdict != (PRESENT if marks == {True} else ABSENT):
            yield ruling.tag


def _overriding_choices(book: Codebook, case: Case, rulings: Sequence[Ruling]) -> Iterator[str]:
    """Return the exclusive groups of which something is chosen that no annotator chose, and no note says why."""
    new = {ruling.tag: ruling for ruling in rulings}
    for group in book.groups:
        rows = [row for row in case.rows if row.tag.group == group.id]
        about = [new[row.tag.id] for row in rows if row.tag.id in new]
        if not group.exclusive or not about:
            continue
        values = [new[row.tag.id].verdict if row.tag.id in new else _value(row) for row in rows]
        if any(value not in (PRESENT, ABSENT) for value in values):
            continue
        chosen = [value == PRESENT for value in values]
        standing = (row.decision.ruling.note for row in rows if row.decision and row.tag.id not in new)
        notes = [*(ruling.note for ruling in about), *standing]
        if not any(note.strip() for note in notes) and all(
            chosen != [row.marks[at] for row in rows] for at in range(len(case.voices))
        ):
            yield group.name


def _value(row: TagRow) -> str:
    present = row.present
    return row.source if present is None else PRESENT if present else ABSENT


# --- words ---------------------------------------------------------------------------------------------------------


def describe_stale(case: Case, row: TagRow, names: Sequence[str]) -> str:
    """Say whose mark on a tag has changed since it was decided: `ana changed her mark since`; empty where none has.

    `names` are what the item's annotators are called, in their order.
    """
    if not row.is_stale or row.decision is None:
        return ""
    before = dict(row.decision.ruling.marks)
    changed, new = [], []
    for voice, name, put in zip(case.voices, names, row.marks, strict=True):
        if voice.annotator not in before:
            new.append(name)
        elif before[voice.annotator] != put:
            changed.append(name)
    gone = len(before.keys() - {voice.annotator for voice in case.voices})
    parts = (
        f"{_and(changed)} changed the mark since" if changed else "",
        f"{_and(new)} reviewed it since" if new else "",
        f"{counted(gone, 'review')} {'is' if gone == 1 else 'are'} gone since" if gone else "",
    )
    return "; ".join(filter(None, parts))


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
