"""Rows are read a window at a time, once, and again only when they may have changed."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.tui.row_windows import RowWindows


class Table:
    """A table that can grow, and how often each window of it was read."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.reads: list[int] = []

    def read(self, start: int, count: int) -> Sequence[int]:
        self.reads.append(start)
        return range(start, min(start + count, self.total))


def test_a_window_is_read_once_however_often_its_rows_are_drawn() -> None:
    table = Table(1_000_000)
    rows = RowWindows(table.read)
    assert [rows.row(index) for index in (700_000, 700_001, 700_030, 700_000)] == [700_000, 700_001, 700_030, 700_000]
    assert len(table.reads) == 1
    rows.forget()
    assert rows.row(700_000) == 700_000 and len(table.reads) == 2


def test_only_the_last_windows_are_kept() -> None:
    table = Table(1_000_000)
    rows = RowWindows(table.read)
    for index in range(0, 100_000, 100):
        rows.row(index)
    before = len(table.reads)
    rows.row(99_900)
    assert len(table.reads) == before
    rows.row(0)
    assert len(table.reads) == before + 1


def test_a_table_that_grew_is_read_again_where_it_ended() -> None:
    table = Table(100)
    rows = RowWindows(table.read)
    assert (rows.row(0), rows.row(99), rows.row(100)) == (0, 99, None)
    table.total, before = 200, len(table.reads)
    rows.forget_unfilled()
    assert (rows.row(0), rows.row(100)) == (0, 100)
    assert len(table.reads) == before + 1
