"""Kept counts of responses: whatever is summed of them is what reading every response gives."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from auditor.audit.invalidate import set_validity
from auditor.store.cells import cluster_counts, count_unsettled
from auditor.store.file import open_file, open_for_reading, transaction
from auditor.store.report_counts import status_counts
from auditor.store.response_counts import are_kept, kept_counts
from auditor.store.unmatched import count_unmatched
from tests.builders import make_audit

DIMENSIONS = (("setting",), ("arm", "setting"), ("size",), ("mode.computed", "study"), ("status",), ("sample",), ())
FILTERS = (
    *("", "arm:state", "status:wrong", "NOT status:correct size<2", "case:case-1,case-2 OR setting:model-b"),
    *("executed:no", "invalid:yes", "state:not-reviewed", "wrong", "language:python lines<3", "sample:0"),
)


@pytest.fixture
def reading(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Return a file with right, wrong, missing, absent, ungraded and invalid responses, in a transaction."""
    replies: dict[tuple[int, str, str], str | None] = {
        (case, arm, "model-a"): "right" for case, arm in product(range(0, 6, 2), ("output", "state"))
    }
    replies |= {(3, "output", "model-b"): None, (4, "state", "model-b"): None}
    path = make_audit(tmp_path / "a.db", cases=6, replies=replies)
    with closing(open_file(path)) as connection, transaction(connection):
        connection.execute("DELETE FROM grades WHERE response_id IN (1, 8)")
        connection.execute("DELETE FROM grades WHERE response_id = 11")
        connection.execute("DELETE FROM responses WHERE id = 11")
    set_validity(path, "ana", "case:case-5 arm:state", "the prompt was cut")
    with closing(open_for_reading(path)) as connection:
        connection.execute("BEGIN")
        yield connection


def told(connection: sqlite3.Connection) -> list[object]:
    """Return everything that can be read of kept counts."""
    found: list[object] = [cluster_counts(connection, *asked) for asked in product(DIMENSIONS, FILTERS)]
    for where in FILTERS:
        found += [count_unsettled(connection, where), status_counts(connection, where)]
        found.append(count_unmatched(connection, where))
    return found


def test_sums_of_kept_counts_are_those_of_the_responses(reading: sqlite3.Connection) -> None:
    counted = told(reading)
    with kept_counts(reading):
        assert are_kept(reading) and told(reading) == counted
        with kept_counts(reading):
            assert told(reading) == counted
        assert are_kept(reading)
    assert not are_kept(reading) and told(reading) == counted
    totals = status_counts(reading)
    assert totals == (2, 2, 0, 0, 21, 21), totals
    assert count_unmatched(reading) == [("demo", 3, 11, 3)]


def test_counts_are_dropped_when_a_reader_is_stopped_and_nothing_else_can_be_written(
    reading: sqlite3.Connection,
) -> None:
    with pytest.raises(KeyboardInterrupt), kept_counts(reading):
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reading.execute("DELETE FROM responses")
        raise KeyboardInterrupt
    assert not are_kept(reading)
