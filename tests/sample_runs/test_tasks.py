"""The tasks of the sample run: what they claim about programs, checkpoints and oracles is so."""

from __future__ import annotations

import json

import pytest

from auditor.audit.measure import DYNAMIC, STATIC
from tests.sample_runs.run_directory import ARMS, Record, run_python, tasks

SHORT, LONG, INSIDE, POST = ARMS
CASES = sorted({(study, case) for study, case, _ in tasks()})
STATES = [pytest.param(task, id=f"{task['case']}-{task['arm']}") for task in tasks().values() if "checkpoint" in task]


@pytest.mark.slow
@pytest.mark.parametrize("key", CASES, ids=lambda key: str(key[1]))
def test_every_oracle_is_what_python_writes(key: tuple[str, str]) -> None:
    for arm in ARMS:
        task = tasks()[*key, arm]
        assert run_python(task["source"], task["input"]) == task["oracle"]


@pytest.mark.parametrize("key", CASES, ids=lambda key: str(key[1]))
def test_the_final_arms_show_the_clean_program_and_the_longer_trace_is_longer(key: tuple[str, str]) -> None:
    short, long = tasks()[*key, SHORT], tasks()[*key, LONG]
    assert short["source"] == short["clean_source"] == long["source"] == long["clean_source"]
    assert short["input"] != long["input"]
    for measure in ("trace_length", "state_load"):
        assert short["measures"][measure] < long["measures"][measure]


@pytest.mark.parametrize("key", CASES, ids=lambda key: str(key[1]))
def test_the_two_states_have_the_same_ordered_fields_and_differ(key: tuple[str, str]) -> None:
    inside, post = (json.loads(tasks()[*key, arm]["oracle"]) for arm in (INSIDE, POST))
    fields = tasks()[*key, INSIDE]["checkpoint"]["fields"]
    assert list(inside) == list(post) == fields == tasks()[*key, POST]["checkpoint"]["fields"]
    assert 2 <= len(fields) <= 4
    assert [type(inside[name]) for name in fields] == [type(post[name]) for name in fields]
    assert inside != post


@pytest.mark.parametrize("task", STATES)
def test_a_state_is_compact_json_on_one_line(task: Record) -> None:
    assert json.dumps(json.loads(task["oracle"]), separators=(",", ":")) + "\n" == task["oracle"]
    assert task["target"] == "state"


@pytest.mark.parametrize("task", STATES)
def test_a_checkpoint_names_the_emitting_line_and_the_loop(task: Record) -> None:
    checkpoint = task["checkpoint"]
    emitting = task["source"].splitlines()[checkpoint["line"] - 1].strip()
    assert emitting.startswith("print(json.dumps({")
    positions = [emitting.index(f'"{name}": {name}') for name in checkpoint["fields"]]
    assert positions == sorted(positions)
    loop = task["clean_source"].splitlines()[checkpoint["clean_line"] - 1].strip()
    assert loop.startswith(("for ", "while ")) and loop.endswith(":")
    assert checkpoint["when"] == ("before-iteration" if task["arm"] == INSIDE else "after-loop")
    guard = task["source"].splitlines()[checkpoint["line"] - 2].split()
    assert guard[-1] == f"{checkpoint['iteration']}:"


@pytest.mark.parametrize("task", STATES)
def test_instrumenting_only_inserts_lines(task: Record) -> None:
    clean, shown = task["clean_source"].splitlines(), iter(task["source"].splitlines())
    assert all(line in shown for line in clean)
    added = 7 if task["arm"] == INSIDE else 6
    assert len(task["source"].splitlines()) - len(clean) in (added - 1, added)


def test_prompts_hold_source_and_input_exactly_and_no_oracle_key() -> None:
    for task in tasks().values():
        system = task["prompt"]["system"]
        assert f"<program>\n{task['source']}</program>" in system
        assert f"<input>\n{task['input']}</input>" in system
        assert set(task["prompt"]) == {"system", "user"}


def test_measures_and_facets_are_there_for_every_task() -> None:
    for task in tasks().values():
        assert set(task["measures"]) == {*STATIC, *DYNAMIC}
        assert all(isinstance(value, int) and value > 0 for value in task["measures"].values())
        assert task["measures"]["peak_state"] <= task["measures"]["state_load"]
        assert set(task["facets"]) == {"loc", "topic", "difficulty", "branches_preserved"}
        assert task["facets"]["difficulty"] in ("easy", "medium", "hard")
