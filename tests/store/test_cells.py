"""Planned cells: which were never answered, and counts per group and cluster."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.store.cells import ClusterCounts, absent_cells, cluster_counts, count_absent_cells, outcomes
from auditor.store.file import open_file
from tests.runs import response, task, write_run


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Two cases of one program and a third of its own; two samples declared; one setting never answered."""
    tasks = [task("c1", source="x"), task("c2", source="x"), task("c3", source="y", facets={"split": "\ud83d"})]
    answers = [
        response("c1"),
        response("c1", sample=1, response="no"),
        response("c2", response=None),
        response("c3"),
        response("c3", sample=1),
    ]
    run = write_run(
        tmp_path / "run", tasks, answers, [{"setting": "m"}, {"setting": "silent"}], studies={"s": "samples = 2"}
    )
    load(tmp_path / "a.db", [run], LoadOptions())
    grade_file(tmp_path / "a.db")
    with closing(open_file(tmp_path / "a.db")) as found:
        yield found


def by_group(counts: list[ClusterCounts]) -> dict[tuple[object, ...], list[tuple[int, int, int, int]]]:
    found: dict[tuple[object, ...], list[tuple[int, int, int, int]]] = {}
    for count in counts:
        found.setdefault(count.group, []).append((count.correct, count.completed, count.planned, count.ungraded))
    return found


def test_absent_cells_are_counted_and_listed(connection: sqlite3.Connection) -> None:
    assert count_absent_cells(connection) == 7
    listed = absent_cells(connection, 10)
    assert listed == [
        ("s", "c2", "output", "m", 1),
        ("s", "c1", "output", "silent", 2),
        ("s", "c2", "output", "silent", 2),
        ("s", "c3", "output", "silent", 2),
    ]
    assert absent_cells(connection, 1) == listed[:1]


def test_every_cluster_counts_what_it_has_and_what_it_lacks(connection: sqlite3.Connection) -> None:
    assert by_group(cluster_counts(connection, ["setting"], "")) == {
        ("m",): [(1, 2, 4, 0), (2, 2, 2, 0)],
        ("silent",): [(0, 0, 4, 0), (0, 0, 2, 0)],
    }
    assert by_group(cluster_counts(connection, [], "setting:m")) == {(): [(1, 2, 4, 0), (2, 2, 2, 0)]}


def test_samples_that_never_came_are_planned_too(connection: sqlite3.Connection) -> None:
    assert by_group(cluster_counts(connection, ["sample"], "")) == {
        (0,): [(1, 1, 4, 0), (1, 1, 2, 0)],
        (1,): [(0, 1, 4, 0), (1, 1, 2, 0)],
    }
    for where in ("sample:0", "NOT sample:1", "sample<1"):
        assert by_group(cluster_counts(connection, ["setting"], where)) == {
            ("m",): [(1, 1, 2, 0), (1, 1, 1, 0)],
            ("silent",): [(0, 0, 2, 0), (0, 0, 1, 0)],
        }
    assert by_group(cluster_counts(connection, [], "sample:1 OR case:c1")) == {(): [(1, 2, 6, 0), (1, 1, 2, 0)]}


def test_what_only_a_response_has_leaves_the_absent_ones_out(connection: sqlite3.Connection) -> None:
    for where in ("status:wrong OR sample:0", "status:correct OR case:c1", "zzz OR sample:0"):
        assert ("silent",) not in by_group(cluster_counts(connection, ["setting"], where))


def test_filters_over_tasks_and_settings_hold_for_absent_cells_too(connection: sqlite3.Connection) -> None:
    assert by_group(cluster_counts(connection, ["setting"], "case:c3")) == {
        ("m",): [(2, 2, 2, 0)],
        ("silent",): [(0, 0, 2, 0)],
    }
    assert by_group(cluster_counts(connection, ["split"], "setting:silent")) == {
        (None,): [(0, 0, 4, 0)],
        ("\ud83d",): [(0, 0, 2, 0)],
    }


def test_ungraded_replies_are_counted_apart(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM grades WHERE response_id IN (1, 3)")
    assert by_group(cluster_counts(connection, ["setting"], "setting:m")) == {("m",): [(0, 2, 4, 1), (2, 2, 2, 0)]}


def test_superseded_rows_count_nowhere(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE responses SET superseded_at = 'now' WHERE id = 1")
    assert by_group(cluster_counts(connection, ["setting"], "setting:m")) == {("m",): [(0, 1, 4, 0), (2, 2, 2, 0)]}
    assert count_absent_cells(connection) == 8


def test_sides_of_a_pair_say_whether_they_were_right(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM grades WHERE response_id = 4")
    found = outcomes(connection, ["c.name", "r.sample"], ["setting:m", "case:c1,c2,c3"])
    assert [(one.pair, one.correct, one.graded) for one in found] == [
        (("c1", 0), True, True),
        (("c1", 1), False, True),
        (("c2", 0), None, True),
        (("c3", 0), False, False),
        (("c3", 1), True, True),
    ]
