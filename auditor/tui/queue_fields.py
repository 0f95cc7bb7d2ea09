"""The fields of the queue screen: what each asks for, and what completes what is written in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from auditor.audit.queue_table import QueueTable


def _filters(table: QueueTable, text: str) -> list[str]:
    return [text[: one.start] + one.text for one in table.complete(text)]


def _columns(table: QueueTable, text: str) -> list[str]:
    before, comma, begun = text.rpartition(",")
    return [f"{before}{comma}{name}" for name in table.known() if name.startswith(begun.strip()) and name != begun][:8]


def _nothing(table: QueueTable, text: str) -> list[str]:
    return []


class QueueField(NamedTuple):
    """One field."""

    kind: str
    title: str
    help: str
    """What can be written, while nothing is suggested."""
    suggest: Callable[[QueueTable, str], list[str]] = _nothing
    """Returns texts that can take the place of what is written."""

    @property
    def completes(self) -> bool:
        """Say whether anything is ever suggested."""
        return self.suggest is not _nothing


FIELDS = {
    field.kind: field
    for field in (
        QueueField(
            "filter", "Filter", "name:value, name<5, OR, NOT, ( ); a bare word is searched for; @name: saved.", _filters
        ),
        QueueField("columns", "Columns", "Names of columns, separated by commas.", _columns),
        QueueField("id", "Go to", "A case, a whole key as `tags list` prints it, or a place in the queue."),
        QueueField("name", "Save as", "A word; @ and the word bring filter and order back in the filter."),
    )
}
"""By kind."""
