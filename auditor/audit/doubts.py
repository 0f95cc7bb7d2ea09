"""The lines under a table that say what its numbers leave out, or should be doubted for."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from auditor.store.cells import count_unsettled
from auditor.store.file import shell_path
from auditor.text import counted


def doubts(invalid: int, disputed: int) -> list[str]:
    """Say how many responses are left out as invalid, and of how many the oracle is disputed; nothing for none."""
    lines = []
    if invalid:
        are = "is" if invalid == 1 else "are"
        lines.append(f"Left out: {counted(invalid, 'response')} that {are} invalid (invalid:yes).")
    if disputed:
        which = counted(disputed, "response")
        lines.append(f"Counted in, by oracles that running the program disputes: {which} (executed:disputed).")
    return lines


def unsettled(connection: sqlite3.Connection, where: str) -> list[str]:
    """Say how many answers of a filter only running something could judge, and how to run it; nothing for none."""
    waiting, told = count_unsettled(connection, where), []
    if waiting.calls:
        calls = (
            "1 predicted call has no grade before it is"
            if waiting.calls == 1
            else f"{waiting.calls:,} predicted calls have no grade before they are"
        )
        told.append(f"{calls} run.")
    if waiting.non_literal:
        answers = (
            "1 answer is no literal and counts"
            if waiting.non_literal == 1
            else f"{waiting.non_literal:,} answers are no literals and count"
        )
        told.append(f"{answers} as wrong until evaluated.")
    return [*told, "`auditor grade FILE --execute` runs them."] if told else []


def how_to_grade(connection: sqlite3.Connection, path: Path, where: str) -> str:
    """Return the command that grades the answers of a filter that have no grade."""
    execute = " --execute" if count_unsettled(connection, where).calls else ""
    return f"Run: auditor grade {shell_path(path)}{execute}"
