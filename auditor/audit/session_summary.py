"""What one sitting brought: said when a review is left."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from auditor.store.annotators import find_annotator, find_codebook_in_file
from auditor.store.file import open_for_reading, translate
from auditor.store.recent_work import RecentWork, last_event, recent_work
from auditor.text import counted


def begin_summary(path: Path) -> int:
    """Return where a sitting begins: the newest event of the file; raises AuditFileError."""
    try:
        with closing(open_for_reading(path)) as connection:
            return last_event(connection)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def summarise_session(path: Path, annotator: str, codebook: str, since: int) -> str:
    """Say in a sentence what an annotator did under a codebook after an event; empty when nothing.

    Raises AuditFileError.
    """
    try:
        with closing(open_for_reading(path)) as connection:
            who, book = find_annotator(connection, annotator), find_codebook_in_file(connection, codebook)
            if who is None or book is None:
                return ""
            names = {tag.id: tag.name for tag in book.codebook.tags}
            return describe_work(recent_work(connection, who, book.id, since), names)
    except sqlite3.Error as error:
        raise translate(error, path) from error


def describe_work(work: RecentWork, names: Mapping[str, str]) -> str:
    """Say what was done: `In this sitting: 12 items reviewed, 2 begun (wrong rule 7, copying 4, no tag 3); 1 note.`

    Where a timer ran, also the median of the times at the items.
    """
    counts = ((work.memos, "memo"), (work.probes, "probe"))
    asides = [counted(count, name) for count, name in counts if count]
    if not work.states:
        return f"In this sitting: {', '.join(asides)}." if asides else ""
    words = {"reviewed": "reviewed", "deferred": "deferred", "in-progress": "begun"}
    done = [(work.states[state], word) for state, word in words.items() if work.states[state]]
    first, *others = done
    text = f"{counted(first[0], 'item')} {first[1]}" + "".join(f", {number:,} {word}" for number, word in others)
    tags = [f"{names.get(tag, tag)} {number:,}" for tag, number in work.tags.most_common()]
    if work.untagged:
        tags.append(f"no tag {work.untagged:,}")
    told = f" ({', '.join(tags)})" if tags else ""
    asides = [*([counted(work.notes, "note")] if work.notes else []), *asides]
    if work.seconds:
        from statistics import median

        asides.append(f"{duration(median(work.seconds))} an item (median of {len(work.seconds):,})")
    return "; ".join([f"In this sitting: {text}{told}", *asides]) + "."


_NARROWING = ("--where", "--take", "--per", "--again", "--overlap", "--order", "--seed")
"""Options of a review that say which items come; each has a value."""
_NARROWING_MARKS = ("--now", "--stale", "--assigned")


def command_of_queue(command: Sequence[str], where: str, order: str) -> list[str]:
    """Return the command that opens a queue chosen in a review; `command` opens the one that it began with."""
    words = _without_narrowing(command)
    return [*words, *(("--where", where) if where != "status:wrong" else ()), *(("--order", order) if order else ())]


def _without_narrowing(command: Sequence[str]) -> list[str]:
    words, left = [], iter(command)
    for word in left:
        if word in _NARROWING:
            next(left, None)
        elif word not in _NARROWING_MARKS:
            words.append(word)
    return words


def describe_begun(begun: int, command: Sequence[str], *, blind: bool) -> str:
    """Say that items were marked and not done, and how to come back to them; empty where there are none.

    `command` is the one that opens the review again. A blind review has no filter for them: they come again in it.
    """
    if not begun:
        return ""
    one = "1 item is begun: it is" if begun == 1 else f"{begun:,} items are begun: they are"
    if blind:
        return f"{one} marked and not done, and {'comes' if begun == 1 else 'come'} again as open when you go on."
    again = " ".join(map(shlex.quote, [*_without_narrowing(command), "--where", "state:in-progress"]))
    return f"{one} marked and not done. {'It' if begun == 1 else 'They'} alone: {again}"


def duration(seconds: float) -> str:
    """Return a time as minutes and seconds: `1:05`; an hour as minutes too."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02}"
