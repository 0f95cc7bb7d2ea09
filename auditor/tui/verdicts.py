"""A verdict in a mark, words and a role: the mark and the words tell it without the colour."""

from __future__ import annotations

from typing import NamedTuple

from auditor.model import Status


class Verdict(NamedTuple):
    """How an answer was graded, as a screen shows it."""

    mark: str
    words: str
    role: str

    def __str__(self) -> str:
        return f"{self.mark} {self.words}"


NO_ANSWER = Verdict("-", "no response", "verdict-none")
"""Of a planned answer that the file does not hold."""
_NOT_GRADED = Verdict("?", "not graded", "verdict-none")


def verdict_of(status: Status | None) -> Verdict:
    """Return the verdict of a response; None = it is not graded."""
    if status is None:
        return _NOT_GRADED
    if status.is_correct:
        return Verdict("✓", status.value, "verdict-ok")
    if status.is_wrong:
        return Verdict("✗", status.value, "verdict-bad")
    return Verdict("-", status.value, "verdict-none")
