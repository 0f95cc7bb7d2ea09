"""The simulated replies: complete, believable, and each fault leaves its own mark."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from tests.sample_runs.run_directory import (
    ARMS,
    RUN,
    SAMPLES,
    all_responses,
    all_settings,
    enveloped_answer,
    is_right,
    responses,
    run_python,
    settings,
    task_of,
    tasks,
)

NAMES = [setting["setting"] for setting in settings()]


def outcomes(setting: str) -> Counter[str]:
    """Count right, wrong, broken envelopes and missing replies of a setting."""
    counts: Counter[str] = Counter()
    for response in responses():
        if response["setting"] == setting:
            answer = enveloped_answer(response["response"])
            if response["response"] is None:
                counts["missing"] += 1
            elif answer is None:
                counts["broken"] += 1
            else:
                counts["right" if is_right(task_of(response), answer) else "wrong"] += 1
    return counts


def test_every_cell_of_tasks_and_settings_has_exactly_one_response() -> None:
    keys = Counter((r["study"], r["case"], r["arm"], r["setting"], r["sample"]) for r in all_responses())
    assert set(keys) == {(*task, setting["setting"], 0) for task in tasks() for setting in all_settings()}
    assert set(keys.values()) == {1}


def test_every_setting_is_named_as_simulated_with_its_fault_as_a_facet() -> None:
    assert len(NAMES) >= 3
    for setting in settings():
        assert setting["setting"] == f"simulated/{setting['facets']['fault']}"


@pytest.mark.parametrize("setting", NAMES)
def test_a_setting_has_a_believable_mix_of_right_and_wrong(setting: str) -> None:
    counts = outcomes(setting)
    total = counts.total()
    least, most = (0.75, 0.95) if setting == "simulated/careful" else (0.35, 0.7)
    assert least <= counts["right"] / total <= most
    assert counts["wrong"] / total >= 0.05
    assert counts["broken"] >= 3
    assert counts["missing"] <= 0.06 * total


def test_short_runs_are_answered_better_than_long_ones() -> None:
    right: Counter[str] = Counter()
    for response in responses():
        answer = enveloped_answer(response["response"])
        right[response["arm"]] += answer is not None and is_right(task_of(response), answer)
    assert right[ARMS[0]] > 1.2 * max(right[arm] for arm in ARMS[1:])


def test_an_answer_in_its_envelope_is_wrong_exactly_when_a_fault_was_planted() -> None:
    for response in responses():
        answer = enveloped_answer(response["response"])
        if answer is not None:
            assert is_right(task_of(response), answer) == (response["planted"] is None), response


def test_missing_and_cut_replies_say_so() -> None:
    kinds = Counter(response["finish"] for response in responses())
    assert set(kinds) == {"stop", "length", "error"}
    assert min(kinds.values()) >= 5
    for response in responses():
        assert (response["response"] is None) == (response["finish"] == "error") == ("error" in response)
        if response["finish"] == "length":
            assert enveloped_answer(response["response"]) is None


def test_some_replies_have_a_reasoning_that_names_the_loop() -> None:
    told = [response for response in responses() if "reasoning" in response]
    assert 30 <= len(told) <= len(responses()) // 5
    for response in told:
        task = task_of(response)
        assert any(line.strip() and line.strip() in response["reasoning"] for line in task["source"].splitlines())


@pytest.mark.slow
def test_a_state_one_iteration_off_is_what_the_program_has_there() -> None:
    checked = 0
    for response in responses():
        found = re.search(r"the state one iteration (early|late)", response["planted"] or "")
        answer = enveloped_answer(response["response"])
        if found and answer is not None:
            task = task_of(response)
            iteration = task["checkpoint"]["iteration"]
            moved = iteration + (-1 if found[1] == "early" else 1)
            source = task["source"].replace(f"loop_count == {iteration}:", f"loop_count == {moved}:")
            assert json.loads(run_python(source, task["input"])) == json.loads(answer)
            checked += 1
    assert checked >= 15


@pytest.mark.slow
def test_a_misread_input_gives_the_reply_when_the_program_is_run_on_it() -> None:
    checked = 0
    for response in responses():
        found = re.search(r"the input's '(\w+)' is read as '(\w+)'", response["planted"] or "")
        answer = enveloped_answer(response["response"])
        if found and answer is not None and response["arm"] in ARMS[:2]:
            task = task_of(response)
            places = [m.start() for m in re.finditer(rf"(?<!\w){found[1]}(?!\w)", task["input"])]
            inputs = [task["input"][:at] + found[2] + task["input"][at + len(found[1]) :] for at in places]
            if len(inputs) == 1:
                assert run_python(task["source"], inputs[0]).split() == answer.split()
                checked += 1
    assert checked >= 5


def test_a_stale_value_in_a_state_changes_that_field_alone() -> None:
    checked = 0
    for response in responses():
        found = re.search(r": (\w+) as it was before its last change", response["planted"] or "")
        answer = enveloped_answer(response["response"])
        if found and answer is not None and "checkpoint" in task_of(response):
            oracle, state = json.loads(task_of(response)["oracle"]), json.loads(answer)
            assert {name for name in oracle if oracle[name] != state[name]} == {found[1]}
            checked += 1
    assert checked >= 25


def test_the_run_says_which_replies_are_simulated_and_stays_small() -> None:
    assert "under simulated/ no language model was asked" in (RUN / "run.toml").read_text(encoding="ascii")
    assert "The replies of eight settings are simulated." in (SAMPLES / "README.md").read_text(encoding="ascii")
    assert sum(path.stat().st_size for path in RUN.iterdir()) < 1_500_000
