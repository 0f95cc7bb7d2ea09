"""What a probe asks about: which line, which time, which variable. Read off its task; nothing is run for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from auditor.model import SUBJECT, Checkpoint, JsonValue, Task
from auditor.text import visible_line

ENTRY_POINT = "entry_point"
"""Under which key of a task the function stands that is called."""
NEAREST = "nearest"
"""Under which a program that is judged has the most similar other implementation: name, source and similarity."""
_PROBE = "probe"
_WORDS = {
    "value-at-visit": "after time",
    "value-at-iteration": "before iteration",
    "value-at-exit": "after the loop",
    "branch": "evaluation",
    "loop-count": "iterations counted",
    "first-time": "first time it holds",
}
"""What stands behind the line, by the kind of probe."""
_TIMED = frozenset(("value-at-visit", "value-at-iteration", "branch"))
_MOST_NAME = 200


class AskedProbe(NamedTuple):
    """What is known of what a probe asks about; all of it may be what somebody wrote."""

    kind: str | None = None
    """One of the kinds that are built here; None where the record has none, and its question alone says it."""
    line: int | None = None
    n: int | None = None
    """Which visit, iteration, end or evaluation; None for the last, and where all are counted."""
    variable: str | None = None
    step: int | None = None
    """Where the record says that it is in a trace: in its own, whatever that counts."""

    @property
    def words(self) -> str:
        """Say in a few words which moment at the line is asked about: `evaluation 3`."""
        words = _WORDS.get(self.kind or "", "asked about")
        if self.kind == "value-at-exit" and self.n not in (None, 1):
            return f"{words} ended, time {self.n:,}"
        if self.kind not in _TIMED:
            return words
        return f"{words} {self.n:,}" if self.n is not None else f"{words.removesuffix(' time')}, the last time"


def is_probe(task: Task) -> bool:
    """Say whether a task asks a probe's question, or is a probe that people judge."""
    return task.target == _PROBE or (task.target == SUBJECT and task.question is not None)


def asked_probe(task: Task) -> AskedProbe | None:
    """Return what a probe asks about, as far as its record says it; None for other tasks."""
    if not is_probe(task):
        return None
    told = task.extra.get(_PROBE)
    known: Mapping[str, JsonValue] = told if isinstance(told, Mapping) else {}
    kind, variable = known.get("kind"), known.get("variable")
    name = variable if isinstance(variable, str) and 0 < len(variable) <= _MOST_NAME else None
    return AskedProbe(
        kind if isinstance(kind, str) and kind in _WORDS else None,
        _whole(known.get("line"), 1),
        _whole(known.get("n"), 1),
        name,
        _whole(known.get("step"), 0),
    )


def _whole(value: JsonValue, least: int) -> int | None:
    """Return a number that can be a line or a step, of at most twelve digits."""
    return value if type(value) is int and least <= value < 10**12 else None


def marked_place(task: Task) -> Checkpoint | None:
    """Return what is marked in the program of a task: its checkpoint, or of a probe without one the line it asks about.

    What that is called stands in `when`.
    """
    if task.checkpoint is not None:
        return task.checkpoint
    asked = asked_probe(task)
    if asked is None or asked.line is None:
        return None
    return Checkpoint(asked.line, asked.words)


def told_in_blind(task: Task) -> dict[str, JsonValue]:
    """Return of the keys that a run gave a task those without which it could not be judged, and that say no more.

    A probe's question says in words what its line, time and variable say, the program names its function, and an
    implementation is judged beside the one that is most like it.
    """
    kept: dict[str, JsonValue] = {}
    asked, entry = asked_probe(task), task.extra.get(ENTRY_POINT)
    if asked is not None:
        kept[_PROBE] = asked._asdict()
    if isinstance(entry, str) and f"def {entry}(" in task.source:
        kept[ENTRY_POINT] = entry
    if task.target == SUBJECT and task.question is None and NEAREST in task.extra:
        kept[NEAREST] = task.extra[NEAREST]
    return kept


def asked_words(asked: AskedProbe) -> str:
    """Say in a sentence's part what is asked about: `line 9, evaluation 3`."""
    line = f"line {asked.line:,}, " if asked.line is not None else ""
    variable = f": `{visible_line(asked.variable, 60)}`" if asked.variable is not None else ""
    return f"{line}{asked.words}{variable}"
