"""Studies, settings and tasks: in through the catalog and out again, hashes, clusters, replacement."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.formats.records import RunInfo
from auditor.model import Checkpoint, Setting, Study, Task
from auditor.store.catalog import Catalog, facet_value
from auditor.store.file import open_file, transaction
from auditor.store.tasks import (
    Outcome,
    arm_oracles,
    count_lines,
    digest,
    iterate_tasks,
    load_settings,
    load_studies,
    load_task,
    shown_hash,
    task_hash,
    task_key,
)
from auditor.text import UndecodedText

TEXTS = st.text(st.characters(), max_size=12)
PLAIN = Task("s", "c", "a", "python", "print(1)\n", "", "output", "1\n")
FULL = Task(
    "s",
    "p/i/t",
    "probe/1",
    "cpp",
    "int x;\n",
    "3\n",
    "probe",
    {"value": [1, None, True], "n": 10**30},
    clean_source="int y;\n",
    problem="p",
    implementation="i",
    test="t",
    checkpoint=Checkpoint(1, "after-loop", 7, ("x", "y"), 2),
    prompt={"system": "be exact", "user": "x?"},
    question="What is x?",
    answer_type="list",
    dimensions=("Logic", "State"),
    measures={"loc": 3, "load": 1.5},
    facets={"split": "test", "hard": True, "none": None, "big": 2**80},
    extra={"odd": {"deep": [1]}},
)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with closing(open_file(tmp_path / "a.db", create=True)) as connection, transaction(connection):
        found = Catalog(connection)
        found.add_study(Study("s"), replace=False)
        yield found


def add(catalog: Catalog, task: Task, **more: Any) -> Outcome:
    return catalog.add_task(task, "program", **{"replace": False} | more)


def one(connection: sqlite3.Connection, sql: str) -> Any:
    return connection.execute(sql).fetchone()[0]


@pytest.mark.parametrize(
    "task", [PLAIN, FULL, replace(PLAIN, oracle=None), replace(PLAIN, target="verdict", oracle={})]
)
def test_a_task_comes_back_as_it_went_in(catalog: Catalog, task: Task) -> None:
    assert add(catalog, task) is Outcome.NEW
    assert list(iterate_tasks(catalog.connection)) == [task]
    row = catalog.tasks[task.key].id
    assert load_task(catalog.connection, row) == task and task_key(catalog.connection, row) == task.key


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS | TEXTS.map(UndecodedText), min_size=9, max_size=9))
def test_any_text_comes_back_from_every_field(catalog: Catalog, texts: list[str]) -> None:
    case, arm, language, source, given_input, oracle, name, value, note = texts
    task = Task("s", case, arm, language, source, given_input, "output", oracle, facets={name: value}, question=note)
    if add(catalog, task, replace=True) is not Outcome.UNCHANGED:
        stored = load_task(catalog.connection, catalog.tasks[task.key].id)
        assert stored == task and task_hash(stored) == task_hash(task)
    assert task.key in Catalog(catalog.connection).tasks


def test_the_same_task_again_is_unchanged_whatever_the_order_of_its_keys(catalog: Catalog) -> None:
    add(catalog, FULL)
    turned = replace(FULL, facets=dict([*FULL.facets.items()][::-1]), measures=dict([*FULL.measures.items()][::-1]))
    assert add(catalog, turned) is Outcome.UNCHANGED
    assert add(Catalog(catalog.connection), FULL) is Outcome.UNCHANGED


@pytest.mark.parametrize(
    "change",
    [
        {"source": "print(2)\n"},
        {"clean_source": "x\n"},
        {"input": "1"},
        {"oracle": "2\n"},
        {"oracle": None},
        {"language": "cpp"},
        {"target": "state"},
        {"question": "?"},
        {"prompt": {"user": "x"}},
        {"facets": {"x": 1}},
        {"measures": {"x": 1}},
        {"extra": {"x": 1}},
        {"checkpoint": Checkpoint(1, "after-loop")},
        {"problem": "p"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_other_content_is_a_conflict_unless_replaced(catalog: Catalog, change: dict[str, Any]) -> None:
    add(catalog, PLAIN)
    other = replace(PLAIN, **change)
    assert add(catalog, other) is Outcome.CONFLICT
    assert list(iterate_tasks(catalog.connection)) == [PLAIN]
    assert add(catalog, other, replace=True) is Outcome.REPLACED
    assert list(iterate_tasks(catalog.connection)) == [other]
    assert one(catalog.connection, "SELECT count(*) FROM tasks WHERE superseded_at IS NOT NULL") == 1


def test_only_what_a_model_sees_makes_another_question() -> None:
    assert shown_hash(PLAIN) == shown_hash(replace(PLAIN, oracle="2", facets={"a": 1}, clean_source="x", problem="p"))
    for change in ({"source": "x"}, {"input": "x"}, {"question": "x"}, {"prompt": {"user": "x"}}, {"language": "c"}):
        assert shown_hash(PLAIN) != shown_hash(replace(PLAIN, **change))


def test_tasks_of_one_clean_source_are_one_cluster_across_studies(catalog: Catalog) -> None:
    catalog.add_study(Study("t"), replace=False)
    add(catalog, PLAIN)
    add(catalog, replace(PLAIN, study="t", source="print(9)\n", clean_source="print(1)\n"))
    add(catalog, replace(PLAIN, case="other", source="print(3)\n"))
    assert one(catalog.connection, "SELECT count(DISTINCT cluster_id) FROM tasks") == 2
    assert one(catalog.connection, "SELECT count(*) FROM programs") == 3


def test_tasks_of_one_problem_are_one_cluster_of_their_study(catalog: Catalog) -> None:
    catalog.add_study(Study("t"), replace=False)
    for study, problem, case in (("s", "p", "1"), ("s", "p", "2"), ("t", "p", "1"), ("s", None, "p")):
        task = replace(PLAIN, study=study, problem=problem, case=case, source=f"{study}{case}")
        catalog.add_task(task, "problem", replace=False)
    assert one(catalog.connection, "SELECT count(DISTINCT cluster_id) FROM tasks") == 2


def test_a_bare_task_is_filled_in_by_the_first_real_one(catalog: Catalog) -> None:
    bare = Task("s", "c", "a", "python", "", "", "output", None)
    assert add(catalog, bare, bare=True) is Outcome.NEW
    assert not catalog.has_texts("s") and catalog.has_case("s", "c")
    assert Catalog(catalog.connection).tasks[bare.key].bare
    assert add(catalog, PLAIN) is Outcome.REPLACED
    assert add(catalog, bare, bare=True) is Outcome.UNCHANGED
    assert catalog.has_texts("s") and not Catalog(catalog.connection).tasks[bare.key].bare


@pytest.mark.parametrize(
    ("source", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n", 1), ("a\r\u2028b\n", 1)]
)
def test_lines_are_counted_as_an_editor_does(source: str, lines: int) -> None:
    assert count_lines(source) == lines


@pytest.mark.parametrize(
    ("value", "kept"),
    [(True, "true"), (False, "false"), (1, 1), (1.5, 1.5), (2**63 - 1, 2**63 - 1), (2**63, str(2**63)), (None, None)],
)
def test_facets_are_kept_as_columns_can_hold_them(value: Any, kept: Any) -> None:
    assert facet_value(value) == kept and type(facet_value(value)) is type(kept)


def test_oracles_of_a_case_are_those_of_its_live_arms(catalog: Catalog) -> None:
    add(catalog, PLAIN)
    add(catalog, replace(PLAIN, arm="b", oracle="old"))
    add(catalog, replace(PLAIN, arm="b", oracle="new"), replace=True)
    add(catalog, replace(PLAIN, arm="c", oracle=None))
    assert arm_oracles(catalog.connection, 1) == {"a": "1\n", "b": "new"}


def test_studies_and_settings_come_back_in_their_order(catalog: Catalog) -> None:
    study = Study("\ud83d", "bytes", "output-json", "problem", "prex", 3, {"note": "x"})
    assert catalog.add_study(study, replace=False) is Outcome.NEW
    assert catalog.add_study(study, replace=False) is Outcome.UNCHANGED
    assert catalog.add_study(replace(study, samples=4), replace=False) is Outcome.CONFLICT
    assert load_studies(catalog.connection) == [Study("s"), study]
    setting = Setting("m", "M", "high", "cot", {"t": 0.2, "big": 2**70, "\ud83d": "\0"}, {"x": [1]})
    assert catalog.add_setting(setting) is Outcome.NEW
    assert catalog.add_setting(setting) is Outcome.UNCHANGED
    assert catalog.add_setting(Setting("m")) is Outcome.UNCHANGED
    assert catalog.add_setting(replace(setting, mode="off")) is Outcome.CONFLICT
    assert load_settings(catalog.connection) == [setting]
    assert catalog.add_setting(Setting("m", "N", facets={"only": 1}), replace=True) is Outcome.REPLACED
    assert catalog.connection.execute("SELECT name, value FROM setting_facets").fetchall() == [("only", 1)]


def test_a_run_is_kept_once_and_says_its_latest(catalog: Catalog) -> None:
    for description in ("a", "b", "b"):
        catalog.add_run(RunInfo("r", description, "\ud83d", {"x": 1}, {"y": 2}))
    assert catalog.connection.execute("SELECT name, description FROM runs").fetchall() == [("r", "b")]


def test_hashes_tell_types_apart() -> None:
    values: list[Any] = [1, 1.0, True, "1", None, "null", [1], {"1": 1}, "\udcff", UndecodedText("\udcff")]
    assert len({digest(value) for value in values}) == len(values)
