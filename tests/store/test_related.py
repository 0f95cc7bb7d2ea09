"""What belongs to a response: arms of its case, answers to its task, found without a look at other cases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from auditor.model import Status
from auditor.store.file import open_file
from auditor.store.related import answers_to_task, arms_of_case, load_answers, response_key, revealed_answers
from auditor.store.responses import find_response, key_from_row
from tests.builders import make_audit

ARMS = ("output", "state", "long")
SETTINGS = ("model-b", "model-a", "model-c")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    replies = {(1, "state", "model-a"): "right", (1, "long", "model-a"): None}
    path = make_audit(tmp_path / "a.db", cases=3, arms=ARMS, settings=SETTINGS, replies=replies)
    with closing(open_file(path)) as opened:
        yield opened


def response(connection: sqlite3.Connection, case: int, arm: str, setting: str) -> int:
    found = find_response(connection, key_from_row(["demo", f"case-{case}", arm, setting, 0]))
    assert found is not None
    return found


def replace(connection: sqlite3.Connection, response_id: int) -> int:
    """Let another reply take the key of a response; return its row id."""
    connection.execute("UPDATE responses SET superseded_at = 'now' WHERE id = ?", (response_id,))
    columns = "task_id, setting_id, sample, content_hash, finish, reply"
    sql = f"INSERT INTO responses ({columns}) SELECT {columns} FROM responses WHERE id = ? RETURNING id"
    return int(connection.execute(sql, (response_id,)).fetchone()[0])


def test_the_arms_of_a_case_are_in_the_order_of_import_with_the_setting_s_responses(
    connection: sqlite3.Connection,
) -> None:
    arms = arms_of_case(connection, response(connection, 1, "state", "model-a"))
    assert [arm.arm for arm in arms] == list(ARMS)
    assert [arm.response_id for arm in arms] == [response(connection, 1, arm, "model-a") for arm in ARMS]
    assert [arm.status for arm in arms] == [Status.WRONG_VALID, Status.CORRECT_VALID, Status.NO_RESPONSE]


def test_an_arm_without_a_response_is_there_all_the_same(connection: sqlite3.Connection) -> None:
    gone = response(connection, 0, "long", "model-c")
    connection.execute("DELETE FROM grades WHERE response_id = ?", (gone,))
    connection.execute("DELETE FROM responses WHERE id = ?", (gone,))
    last = arms_of_case(connection, response(connection, 0, "output", "model-c"))[-1]
    assert (last.arm, last.response_id, last.status) == ("long", None, None)


def test_other_samples_and_replaced_responses_are_no_arms(connection: sqlite3.Connection) -> None:
    own, other = response(connection, 0, "output", "model-a"), response(connection, 0, "state", "model-a")
    connection.execute("UPDATE responses SET sample = 7 WHERE id = ?", (other,))
    assert [arm.response_id is None for arm in arms_of_case(connection, own)] == [False, True, False]
    connection.execute("UPDATE responses SET sample = 0 WHERE id = ?", (other,))
    new = replace(connection, other)
    assert [arm.response_id for arm in arms_of_case(connection, own)][1] == new


def test_a_replaced_response_stands_in_its_own_arm(connection: sqlite3.Connection) -> None:
    old = response(connection, 0, "state", "model-a")
    new = replace(connection, old)
    assert [arm.response_id for arm in arms_of_case(connection, old)][1] == old
    assert [arm.response_id for arm in arms_of_case(connection, new)][1] == new
    task_id = connection.execute("SELECT task_id FROM responses WHERE id = ?", (old,)).fetchone()[0]
    connection.execute("UPDATE tasks SET superseded_at = 'now' WHERE id = ?", (task_id,))
    assert [arm.arm for arm in arms_of_case(connection, old)] == ["output", "long", "state"]


def test_the_answers_to_a_task_go_by_setting_and_sample(connection: sqlite3.Connection) -> None:
    first = response(connection, 2, "output", "model-b")
    for sample in (11, 2):
        connection.execute(
            "INSERT INTO responses (task_id, setting_id, sample, content_hash)"
            " SELECT task_id, setting_id, ?, content_hash FROM responses WHERE id = ?",
            (sample, first),
        )
    task_id, ids = answers_to_task(connection, first)
    assert task_id == connection.execute("SELECT task_id FROM responses WHERE id = ?", (first,)).fetchone()[0]
    answers = load_answers(connection, ids)
    assert [(one.setting, one.sample) for one in answers] == [
        ("model-a", 0),
        ("model-b", 0),
        ("model-b", 2),
        ("model-b", 11),
        ("model-c", 0),
    ]
    assert answers[1].response_id == first and answers[1].grade is not None
    assert answers[2].grade is None
    assert load_answers(connection, []) == []


def test_a_replaced_answer_stands_before_the_one_that_took_its_key(connection: sqlite3.Connection) -> None:
    old = response(connection, 0, "state", "model-a")
    new = replace(connection, old)
    assert answers_to_task(connection, old)[1][:2] == [old, new]
    assert old not in answers_to_task(connection, new)[1]
    assert response_key(connection, old) == response_key(connection, new)


def test_none_of_it_scans_responses_tasks_or_grades(connection: sqlite3.Connection) -> None:
    seen: list[str] = []
    connection.set_trace_callback(seen.append)
    task_id, ids = answers_to_task(connection, 5)
    arms_of_case(connection, 5)
    load_answers(connection, ids)
    response_key(connection, 5)
    revealed_answers(connection, task_id, 1)
    connection.set_trace_callback(None)
    plans = [step for sql in seen for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert len(seen) == 8
    assert all(step.startswith("SCAN settings") for step in plans if step.startswith("SCAN"))
    assert any("INDEX live_response (task_id=?)" in step for step in plans)
