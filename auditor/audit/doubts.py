"""The lines under a table that say what its numbers leave out, or should be doubted for."""

from __future__ import annotations

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
