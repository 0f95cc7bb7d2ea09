"""One flag: a number that somebody must know of before trusting the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


class FlagItems(NamedTuple):
    """Items that no filter describes: how they are found, and of what."""

    how: str
    of: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """What is wrong or missing; names stand apart, since each reader shows them in its own way."""

    key: str
    """Stays the same when the number changes."""
    count: int
    line: str
    """What it is, with its number: the beginning of a sentence, `{}` where a name stands."""
    names: tuple[str, ...]
    """What stands for each `{}` of the line."""
    why: str
    """What it means for the numbers, as a sentence."""
    do: str = ""
    """What to do about it, as a sentence."""
    where: str | None = None
    """A filter that leaves what it counts."""
    behind: FlagItems | None = None
    """Or how the items are found."""
    about: str = ""
    """Or what shows it: `agreement` or `codebook`."""
    book: str = ""
    """The codebook that it is about, where it is about one."""
    exact: bool = False
    """Whether the items are as many as it counts."""

    def said(self, show: Callable[[str], str] = str) -> str:
        """Return the line with names as `show` makes them."""
        return self.line.format(*map(show, self.names))

    @property
    def advice(self) -> str:
        """Return why it matters and what to do."""
        return " ".join(filter(None, (self.why, self.do)))

    def sentence(self) -> str:
        """Return all of it as sentences, names as they are."""
        line = self.said()
        return f"{line[:1].upper() + line[1:] if not self.line.startswith('{') else line}. {self.advice}"


def flag_json(flag: Flag) -> dict[str, Any]:
    """Return a flag as what JSON can hold; `where` is a filter that leaves what it counts, where there is one."""
    return {
        "flag": flag.key,
        "count": flag.count,
        "line": flag.said(),
        "why": flag.why,
        "do": flag.do or None,
        "where": flag.where,
    }
