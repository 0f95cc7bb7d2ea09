"""What becomes of the rows of a file that people's words are brought in from: tags, bookmarks and memos, probes."""

from __future__ import annotations

from dataclasses import dataclass, field

from auditor.formats.records import Refusal


@dataclass(slots=True)
class RowReport:
    """What became of the rows."""

    rows: int = 0
    unchanged: int = 0
    annotators: set[str] = field(default_factory=set)
    """Who the file speaks for."""
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
