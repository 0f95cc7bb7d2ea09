"""The live responses of a file in the order of their names, each found by its place without reading those before it."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

_OF_A_TASK = (
    "SELECT r.id FROM responses r JOIN settings g ON g.id = r.setting_id"
    " WHERE r.task_id = ? AND r.superseded_at IS NULL ORDER BY g.name, r.sample, r.id LIMIT 1 OFFSET ?"
)


class NameOrder:
    """Counts the responses of each task once; a place is looked up in its task."""

    def __init__(self, connection: sqlite3.Connection, tasks: Sequence[int]) -> None:
        """`tasks` are all tasks in the order of their names."""
        self._connection = connection
        counts = _live_by_task(connection)
        self.tasks = array("q", (task for task in tasks if task in counts))
        self._ends = array("q", accumulate(counts[task] for task in self.tasks))
        """The place after the last response of each task."""

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def response_at(self, place: int) -> int:
        """Return the row id of the response at a place."""
        task = bisect_right(self._ends, place)
        offset = place - (self._ends[task - 1] if task else 0)
        return int(self._connection.execute(_OF_A_TASK, (self.tasks[task], offset)).fetchone()[0])


def _live_by_task(connection: sqlite3.Connection) -> dict[int, int]:
    """Count the live responses of each task.

    All counts come in one row: for each further one SQLite's thread would wait for its turn among Python's.
    """
    sql = (
        "SELECT group_concat(task_id || ' ' || number, ' ') FROM"
        " (SELECT task_id, count(*) AS number FROM responses WHERE superseded_at IS NULL GROUP BY task_id)"
    )
    (words,) = connection.execute(sql).fetchone()
    numbers = array("q", map(int, (words or "").split()))
    return dict(zip(numbers[::2], numbers[1::2], strict=True))
