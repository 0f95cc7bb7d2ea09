"""The fields of the queue screen: what each asks for, and what completes what is written in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from auditor.audit.filter_completion import MOST, Completion
from auditor.audit.queue_table import QueueTable


def _filters(table: QueueTable, text: str) -> list[Completion]:
    return table.complete(text)


def _columns(table: QueueTable, text: str) -> list[Completion]:
    """Complete the last name; those that are there already are not offered again."""
    chosen = [name.strip() for name in text.split(",")]
    begun = chosen.pop()
    start = len(text) - len(text.rpartition(",")[2].lstrip())
    names = [name for name in table.known() if name.startswith(begun) and name not in (begun, *chosen)]
    return [Completion(start, name) for name in names][:MOST]


def _ids(table: QueueTable, text: str) -> list[Completion]:
    return table.complete_id(text)


def _nothing(table: QueueTable, text: str) -> list[Completion]:
    return []


class QueueField(NamedTuple):
    """One field."""

    kind: str
    title: str
    help: str
    """What can be written, while nothing is suggested."""
    suggest: Callable[[QueueTable, str], list[Completion]] = _nothing
    """Returns what the end of what is written can become."""

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
        QueueField(
            "columns",
            "Columns",
            "Names of columns, separated by commas: prediction, oracle, first, any name of a filter.",
            _columns,
        ),
        QueueField("id", "Go to", "A case, a whole key as `tags list` prints it, or a place in the queue.", _ids),
        QueueField("name", "Save as", "A word; @ and the word bring filter and order back in the filter."),
    )
}
"""By kind."""
