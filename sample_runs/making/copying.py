"""The planted faults of reading and writing: the execution is right, what goes in or comes out of it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from making.cases import INSIDE, POST
from making.chance import between, shuffled
from making.faults import Proposal, Question
from making.machine import interpret

LOOKS_LIKE = dict(zip("0123456789", "8178461433", strict=True))
GARBLINGS = ("exchanged", "dropped", "doubled")
Edit = tuple[str, str, str]
"""A text, its cause and what was done."""


def garbled(text: str, at: int) -> tuple[str, str, str]:
    """Return a text with two neighbours exchanged, one character dropped, and one doubled at a place."""
    return (
        text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        text[:at] + text[at + 1 :],
        text[: at + 1] + text[at:],
    )


def misread_input(question: Question, setting: str) -> Iterator[Proposal]:
    """Execute everything right on an input in which one piece was misread or left out."""
    names = (setting, question.case.name, question.arm)
    pieces = list(re.finditer(r"\d+|[A-Za-z]{2,}", question.text))
    for attempt, piece in enumerate(shuffled(pieces, *names)[:12]):
        old = piece.group()
        kind = between(0, 3, *names, "kind", attempt)
        start, end = piece.span()
        if kind == 0 and len(pieces) > 8:
            new = ""
            end += question.text[end : end + 1] in (" ", ",")
        elif len(old) == 1:
            new = LOOKS_LIKE[old]
        else:
            new = garbled(old, between(0, len(old) - 2, *names, "place", attempt))[kind % 3]
        if new == old:
            continue
        what = f"is read as {new!r}" if new else "is left out"
        outcome = interpret(question.case, question.text[:start] + new + question.text[end:], question.orders())
        yield Proposal(outcome.text, "input", f"the input's {old!r} {what}", tuple(outcome.passes))


def miscopy(question: Question, setting: str) -> Iterator[Proposal]:
    """Arrive at the right answer and write it down wrong."""
    names = (setting, question.case.name, question.arm)
    edits = [*_numbers(question.oracle, names), *_lists(question.oracle, names), *_words(question.oracle, names)]
    edits += _layout(question)
    for answer, cause, detail in shuffled(edits, *names):
        yield Proposal(answer, cause, detail, tuple(question.right.passes))


def _numbers(oracle: str, names: tuple[str, ...]) -> Iterator[Edit]:
    for number in re.finditer(r"\d{2,}", oracle):
        old, start, end = number.group(), *number.span()
        for new, what in zip(garbled(old, between(0, len(old) - 2, *names, start)), GARBLINGS, strict=True):
            subject = "digits" if what == "exchanged" else "a digit"
            yield oracle[:start] + new + oracle[end:], "copy", f"{subject} {what}: {old} as {new}"


def _lists(oracle: str, names: tuple[str, ...]) -> Iterator[Edit]:
    for listing in re.finditer(r"\[[^\[\]]+,[^\[\]]+\]", oracle):
        parts = listing.group()[1:-1].split(",")
        i = between(0, len(parts) - 2, *names, listing.start())
        for kept, what in (
            (parts[:i] + parts[i + 1 :], "element dropped"),
            ([*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]], "neighbours exchanged"),
        ):
            text = oracle[: listing.start()] + "[" + ",".join(kept) + "]" + oracle[listing.end() :]
            yield text, "copy", f"{what} in a list"


def _words(oracle: str, names: tuple[str, ...]) -> Iterator[Edit]:
    for word in re.finditer(r"(?<![\"\w])[A-Za-z*#.=]{6,}", oracle):
        cut = word.start() + between(1, len(word.group()) - 2, *names, word.start())
        yield oracle[:cut] + oracle[cut + 1 :], "copy", f"a character of {word.group()!r} dropped"


def _layout(question: Question) -> Iterator[Edit]:
    """Change what only this study's policy minds: bytes in `text`, types in `classic`."""
    oracle = question.oracle
    if question.case.study == "text":
        yield oracle.rstrip("\n"), "format", "the last newline is missing"
        if "  " in oracle:
            yield re.sub(" {2,}", " ", oracle), "format", "runs of spaces became one"
        if oracle.startswith("{"):
            yield oracle.replace(":", ": ").replace(",", ", "), "format", "spaces in the JSON"
    elif question.arm in (INSIDE, POST):
        yield re.sub(r":(-?\d+)", r':"\1"', oracle, count=1), "format", "a number became a string"
