"""The texts of one item, to be copied: what there is, under which name of a file, and written exactly as it is stored.

A blind review hands in an item without what it hides, and nothing here says more than that item does.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from auditor.audit.asked_probe import asked_probe, asked_words
from auditor.audit.prompt_text import prompt_text
from auditor.audit.reasoning_text import reasoning_text
from auditor.audit.subject_card import subject_card
from auditor.errors import AuditorError, InputError
from auditor.formats.whole_file import whole_file
from auditor.model import SUBJECT, Checkpoint, ResponseKey, split_key
from auditor.store.executions import task_execution
from auditor.store.file import open_for_reading, translate
from auditor.store.queue import ReviewItem, load_evidence
from auditor.store.queue_cells import items_like
from auditor.store.responses import find_response, task_of
from auditor.text import counted, to_bytes, visible_line

_SUFFIXES = {
    "python": "py",
    "cpp": "cpp",
    "c": "c",
    "cstar": "c",
    "java": "java",
    "javascript": "js",
    "rust": "rs",
    "go": "go",
}
_NAME_BYTES = 48
"""The most bytes of one name in the name of a file."""


_LISTED = 20
"""Items that are named where only a part of a key was given."""


class Part(NamedTuple):
    """One text that can be copied."""

    id: str
    name: str
    """As a sentence calls it."""
    key: str
    """The letter that chooses it."""


PARTS = (
    Part("oracle", "oracle", "o"),
    Part("prediction", "prediction", "p"),
    Part("reply", "raw reply", "r"),
    Part("reasoning", "reasoning", "t"),
    Part("source", "source", "s"),
    Part("input", "input", "i"),
    Part("prompt", "prompt", "m"),
    Part("item", "whole item as text", "a"),
)
PART_IDS = tuple(part.id for part in PARTS)


class TakenError(AuditorError):
    """There is something under the name of a file already."""


def part_text(item: ReviewItem, part: str) -> str | None:
    """Return a text of an item exactly as it is stored; None when the item has none, or a blind review hides it.

    Raises KeyError for what is no part.
    """
    if part == "item":
        return "".join(_whole(item))
    texts = {
        "oracle": item.oracle_text,
        "prediction": item.grade.prediction if item.grade else None,
        "reply": item.response.text,
        "reasoning": reasoning_text(item.response),
        "source": item.task.source,
        "input": item.task.input or None,
        "prompt": prompt_text(item.task.prompt),
    }
    return texts[part]


def why_no_part(item: ReviewItem, part: str) -> str | None:
    """Say in a few words why an item has not got a text; None when it has."""
    if part_text(item, part) is not None:
        return None
    response = item.response
    if part == "prompt":
        return "hidden in this review" if item.hidden else "none was recorded"
    if part == "reply":
        return f"no response: {visible_line(response.error or response.finish or 'nothing was recorded', 60)}"
    if part == "prediction" and item.task.target == SUBJECT:
        return "nobody was asked"
    if part == "prediction":
        return "not graded yet" if item.grade is None else "no answer was found"
    return {"oracle": "none is known", "reasoning": "none was recorded", "input": "this task has none"}[part]


def _whole(item: ReviewItem) -> Iterator[str]:
    """Yield the item as text: what it is, how it was graded as far as that is shown, and each text under its name."""
    task, grade = item.task, item.grade
    key = item.key
    yield f"{' / '.join(name for name in (key.study, key.case, key.arm, key.setting) if name)} / sample {key.sample}\n"
    yield f"language: {task.language}\n"
    asked = asked_probe(task)
    if asked is not None and task.target != SUBJECT:
        yield f"question: {task.question}\n"
    if asked is not None:
        yield f"asked about: {asked_words(asked)} (auditor trace goes there)\n"
    elif task.checkpoint is not None:
        yield f"checkpoint: {_checkpoint(task.checkpoint)}\n"
    if item.invalid is not None:
        why = "" if item.hidden else f": {item.invalid.reason} ({item.invalid.annotator}, {item.invalid.at})"
        yield f"invalid{why}\n"
    if grade is not None and not item.hidden:
        yield f"status: {grade.status.value}, answer found by: {grade.extraction}\n"
        for finding in (grade.finding, *grade.others):
            yield f"computed: {finding.mode}: {finding.evidence}\n"
    if task.target == SUBJECT:
        yield f"\n── to be judged ──\n{subject_card(task)}\n"
    for part in PARTS[:-1]:
        text = part_text(item, part.id)
        if text is None:
            yield f"\n── {part.name}: {why_no_part(item, part.id)} ──\n"
        else:
            yield f"\n── {part.name}, {counted(len(text), 'character')} ──\n{text}"
            yield "" if text.endswith("\n") else "\n"


def _checkpoint(checkpoint: Checkpoint) -> str:
    nth = "" if checkpoint.iteration is None else f" {checkpoint.iteration}"
    return f"line {checkpoint.line}, {checkpoint.when}{nth}"


# --- files ---------------------------------------------------------------------------------------------------------


def part_file_name(item: ReviewItem, part: str) -> str:
    """Return the name that a file with a part gets by default: the item's names in letters that every shell takes."""
    key = item.key
    names = [name for name in (key.study, key.case, key.arm, key.setting) if name]
    suffix = _SUFFIXES.get(item.task.language, "txt") if part == "source" else "txt"
    return f"{'-'.join([*map(_plain, names), str(key.sample), part])}.{suffix}"


def _plain(name: str) -> str:
    """Return a name without what a shell or a file system would take for something else, and not too long."""
    plain = "".join(char if char.isalnum() or char in "._" else "-" for char in name)
    cut = plain.encode()[:_NAME_BYTES].decode(errors="ignore")
    return cut.strip("-.") or "item"


def save_part(path: Path, text: str, *, replace: bool = False) -> int:
    """Write a text to a file, byte for byte as it is stored; return the number of bytes.

    The file is complete or not there. Raises TakenError when there is something under its name and not `replace`, and
    InputError when it cannot be written.
    """
    where = visible_line(str(path))
    data = to_bytes(text)
    try:
        os.fsencode(path)
        if "\0" in str(path):
            raise ValueError
    except (UnicodeError, ValueError):
        raise InputError("this cannot be the name of a file.", where=where) from None
    try:
        if path.exists() and not path.is_file():
            raise InputError("it is a folder." if path.is_dir() else "it is no ordinary file.", where=where)
        if not replace and os.path.lexists(path):
            raise TakenError(f"{where}: it exists already.")
        with whole_file(path, force=replace) as file:
            file.write(data)
    except OSError as error:
        raise InputError(f"writing it failed ({error.strerror}).", where=where) from error
    return len(data)


# --- an item by its key --------------------------------------------------------------------------------------------


def read_item(path: Path, key: str) -> ReviewItem:
    """Read the item with a key, as `tags list` prints it, from an audit file; nobody's marks are read.

    Raises InputError when the file has no such item; for a part of a key it names the items that have it.
    """
    parts = split_key(key)
    with closing(open_for_reading(path)) as connection:
        try:
            found = None
            if len(parts) == 5 and parts[4].isascii() and parts[4].isdigit():
                study, case, arm, setting, sample = parts
                found = find_response(connection, ResponseKey(study, case, arm, setting, int(sample)))
            if found is None:
                raise _no_item(connection, key, parts)
            return load_evidence(connection, found)
        except sqlite3.Error as error:
            raise translate(error, path) from error


class Executed(NamedTuple):
    """What running an item's task gave."""

    verdict: str
    """Whether that is the oracle: `agrees`, `disputed` or `failed`."""
    ending: str
    words: str
    """How it ended, in a sentence."""
    engine: str
    output: str | None
    """Standard output, or the value as Python writes it; None where there is none."""


def executed(path: Path, response_id: int) -> Executed | None:
    """Read what running a response's task gave, as `grade --execute` keeps it; None where it was not run."""
    with closing(open_for_reading(path)) as connection:
        try:
            found = task_execution(connection, task_of(connection, response_id))
        except sqlite3.Error as error:
            raise translate(error, path) from error
    if found is None:
        return None
    run = found.execution
    return Executed(found.verdict, run.ending, run.words, run.engine, run.output)


def _no_item(connection: sqlite3.Connection, key: str, parts: Sequence[str]) -> InputError:
    like = items_like(connection, parts, _LISTED + 1) if 0 < len(parts) < 5 and all(parts) else []
    if not like:
        return InputError(
            f"there is no item {visible_line(key, 80)!r}.",
            hint="Write its key as `auditor queue FILE --columns item` prints it.",
        )
    lines = [f"  {visible_line(str(one))}" for one in like[:_LISTED]]
    more = f"the first {_LISTED} items" if len(like) > _LISTED else counted(len(like), "item")
    return InputError(
        f"{visible_line(key, 80)!r} is not the whole key of an item.",
        hint=f"Name one of these ({more} with it):\n" + "\n".join(lines),
    )
