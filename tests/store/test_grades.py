"""Grades go in and come out as they are, with every finding, span and odd text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.model import Finding, Grade, Span, Status
from auditor.store.file import open_file, transaction
from auditor.store.grades import GRADE_COLUMNS, drop_grades, grade_from_row, put_grades, responses_to_grade
from auditor.text import UndecodedText
from tests.builders import make_audit

TEXTS = st.text(st.characters(), max_size=10)
SPANS = st.none() | st.builds(Span, st.integers(0, 10**9), st.integers(0, 10**9))
FINDINGS = st.builds(Finding, TEXTS, TEXTS, SPANS, SPANS, st.none() | TEXTS)
GRADES = st.builds(
    Grade,
    st.sampled_from(Status),
    st.sampled_from(["envelope", "fence", "none"]),
    st.none() | TEXTS | TEXTS.map(UndecodedText),
    FINDINGS.filter(lambda finding: finding.mode.isascii() and "\0" not in finding.mode),
    st.lists(FINDINGS, max_size=2).map(tuple),
    st.booleans(),
    st.none() | TEXTS,
)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): None, (1, "state", "model-b"): "\ud83d"})
    with closing(open_file(path)) as found:
        yield found


def stored(connection: sqlite3.Connection, response_id: int) -> Grade | None:
    sql = f"SELECT {GRADE_COLUMNS} FROM responses r LEFT JOIN grades d ON d.response_id = r.id WHERE r.id = ?"
    return grade_from_row(connection.execute(sql, (response_id,)).fetchone())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(grade=GRADES)
def test_a_grade_comes_back_as_it_went_in(connection: sqlite3.Connection, grade: Grade) -> None:
    with transaction(connection):
        put_grades(connection, [(1, "bytes", grade)])
    assert stored(connection, 1) == grade


def test_a_later_grade_stands_and_a_dropped_one_is_gone(connection: sqlite3.Connection) -> None:
    right = Grade(Status.CORRECT_VALID, "reply", "x", Finding("correct", "It is."))
    put_grades(connection, [(2, "bytes", right)])
    assert stored(connection, 2) == right
    drop_grades(connection, [2, 3])
    assert stored(connection, 2) is None and stored(connection, 3) is None and stored(connection, 4) is not None


def test_live_responses_are_read_task_by_task(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE responses SET superseded_at = 'now' WHERE id = 5")
    found = list(responses_to_grade(connection))
    assert len(found) == 15 and 5 not in {one.response_id for one in found}
    tasks = [one.task_id for one in found]
    assert len(dict.fromkeys(tasks)) == sum(a != b for a, b in zip([0, *tasks], tasks, strict=False))
    replies = {one.response_id: one.reply for one in found}
    assert replies[1] is None and replies[8] == "\ud83d" and {one.finish for one in found} == {"stop"}
