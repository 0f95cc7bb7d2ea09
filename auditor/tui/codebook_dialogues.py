"""What each change of the codebook screen asks for, one question after the other, and the change it comes to."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple, TypeAlias

from auditor.codebook import Codebook, Tag
from auditor.codebook_changes import (
    Part,
    Step,
    add_tag,
    define_tag,
    merge_tags,
    move_tag,
    rename_tag,
    restore_tag,
    retire_tag,
    set_group,
    set_key,
    split_tag,
)


class Question(NamedTuple):
    """What a person is asked for: a text, or one of the tags of the list."""

    words: str
    text: str = ""
    """What stands in the field at first."""
    of_tags: bool = False
    """Whether the answer is the id of a tag, chosen in the list."""
    needed: str = ""
    """What is said to an empty answer; nothing where it may be empty."""


class Proposal(NamedTuple):
    """A change that waits for a yes."""

    step: Step
    settled: Step | None = None
    """The same, after which nothing needs another look; None where there is no choice."""
    again: str = ""
    """What the first of the two asks annotators for."""


Dialogue: TypeAlias = Generator[Question, str, Proposal]

_AGAIN = "what carries it is listed for another look"


def _add(book: Codebook, tag: Tag) -> Dialogue:
    name = yield Question("Name of the new tag", needed="A tag needs a name.")
    words = f"What {name!r} means, in a sentence"
    definition = yield Question(words, needed="A tag needs a definition: in a sentence, what is meant.")
    rule = yield Question("When this tag and when another (may be empty)")
    return Proposal(
        lambda book: add_tag(book, name, definition, decision_rule=rule, again=True),
        lambda book: add_tag(book, name, definition, decision_rule=rule),
        "what was reviewed without it is listed for another look",
    )


def _rename(book: Codebook, tag: Tag) -> Dialogue:
    name = yield Question("Its name from now on", tag.name, needed="A tag needs a name.")
    return Proposal(lambda book: rename_tag(book, tag.id, name))


def _edit(book: Codebook, tag: Tag) -> Dialogue:
    words, needed = "Definition: what is meant, in a sentence", "A tag needs a definition."
    definition = yield Question(words, tag.definition, needed=needed)
    rule = yield Question("Decision rule: when this tag and when another", tag.decision_rule)
    example = yield Question("Example: a case that is clearly in", tag.example)

    # What was left as it was is not written: somebody else may have changed it meanwhile.
    written = ((definition, tag.definition), (rule, tag.decision_rule), (example, tag.example))
    new_definition, new_rule, new_example = (None if text == before else text for text, before in written)

    def step(meaning: bool) -> Step:
        return lambda book: define_tag(
            book, tag.id, definition=new_definition, decision_rule=new_rule, example=new_example, meaning=meaning
        )

    return Proposal(step(True), step(False), "it means something else now, and what carries it is listed")


def _merge(book: Codebook, tag: Tag) -> Dialogue:
    into = yield Question("Count it as which tag? Go there", of_tags=True)
    return Proposal(
        lambda book: merge_tags(book, tag.id, into), lambda book: merge_tags(book, tag.id, into, again=False), _AGAIN
    )


def _split(book: Codebook, tag: Tag) -> Dialogue:
    parts: list[Part] = []
    while True:
        end = "; empty when that is all" if len(parts) >= 2 else ""
        name = (yield Question(f"Name of part {len(parts) + 1}, or the id of a tag that is there{end}")).strip()
        if not name and len(parts) >= 2:
            break
        there = any(name in (one.id, one.name) for one in book.active)
        parts.append(Part(name, "" if there else (yield Question(f"What {name!r} means, in a sentence"))))
    return Proposal(lambda book: split_tag(book, tag.id, parts))


def _retire(book: Codebook, tag: Tag) -> Proposal:
    if tag.retired:
        return Proposal(lambda book: restore_tag(book, tag.id))
    return Proposal(lambda book: retire_tag(book, tag.id), lambda book: retire_tag(book, tag.id, again=False), _AGAIN)


def _moved(by: int) -> Callable[[Codebook, Tag], Proposal]:
    def move(book: Codebook, tag: Tag) -> Proposal:
        ids = [one.id for one in book.active]
        place = ids.index(tag.id) + 1 + by if tag.id in ids else 1
        return Proposal(lambda book: move_tag(book, tag.id, place))

    return move


def _key(book: Codebook, tag: Tag) -> Dialogue:
    key = (yield Question("Its key from now on", tag.key)).strip()
    return Proposal(lambda book: set_key(book, tag.id, key))


def _group(book: Codebook, tag: Tag) -> Dialogue:
    names = {group.id: group.name for group in book.groups}
    known = ", ".join(names.values())
    words = "Its group, by name; empty = none" + (f" (there are: {known})" if known else "")
    group = (yield Question(words, names.get(tag.group or "", ""))).strip()
    return Proposal(lambda book: set_group(book, tag.id, group or None))


DIALOGUES: dict[str, Callable[[Codebook, Tag], Dialogue | Proposal]] = {
    "add": _add,
    "rename": _rename,
    "edit": _edit,
    "merge": _merge,
    "split": _split,
    "retire": _retire,
    "earlier": _moved(-1),
    "later": _moved(1),
    "key": _key,
    "group": _group,
}
"""By the argument of the action that begins it."""


class Asking:
    """A dialogue under way: the answers so far, and what comes next."""

    def __init__(self, kind: str, book: Codebook, tag: Tag) -> None:
        self.kind = kind
        self.tag = tag
        self._book = book
        self._answers: list[str] = []
        self._dialogue: Dialogue | None = None

    def begin(self) -> Question | Proposal:
        """Return the first question, or the change where there is none."""
        begun = DIALOGUES[self.kind](self._book, self.tag)
        if isinstance(begun, Proposal):
            return begun
        self._dialogue = begun
        return next(begun)

    def answer(self, text: str) -> Question | Proposal:
        """Take an answer; return the next question, or the change that the answers come to."""
        assert self._dialogue is not None, "an answer follows a question"
        self._answers.append(text)
        try:
            return self._dialogue.send(text)
        except StopIteration as end:
            proposal: Proposal = end.value
            return proposal

    def again(self) -> Question:
        """Return the last question with its answer: what it came to cannot be done."""
        last = self._answers.pop()
        earlier, self._answers = self._answers, []
        asked = self.begin()
        for text in earlier:
            asked = self.answer(text)
        assert isinstance(asked, Question), "it was asked before"
        return asked._replace(text=last) if not asked.of_tags else asked

    @property
    def has_answers(self) -> bool:
        """Say whether anything was answered."""
        return bool(self._answers)
