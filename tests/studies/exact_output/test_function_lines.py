"""Functions with a call become programs that read its arguments; a longer input grows from them by a rule."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.formats.json_text import UnusableError
from auditor.studies.exact_output.building import BuildOptions, build_case
from auditor.studies.exact_output.case import ARMS, INSIDE, LONG, SHORT, Reason
from auditor.studies.exact_output.case_files import read_cases
from auditor.studies.exact_output.checking import Bench
from auditor.studies.exact_output.function_lines import FACTORS, arguments_of, function_case, grown
from auditor.studies.exact_output.source_options import SourceOptions

CODE = "def f(text, least):\n    n = 0\n    for char in text:\n        n += ord(char) % least\n    return (n, text[:2])"
ITEM: dict[str, Any] = {"id": "sample_3", "code": CODE, "input": "'abcd', 5", "output": "(9, 'ab')"}
WANTED = SourceOptions()


def test_a_function_is_built_with_its_own_call_and_a_longer_one(bench: Bench) -> None:
    verdict = build_case(function_case(ITEM, WANTED), BuildOptions(), bench)
    assert verdict.refusal is None
    tasks = {task.arm: task for task in verdict.tasks}
    assert tasks[SHORT].source == CODE + '\n\n\nimport sys\n\nprint(repr(eval("f(" + sys.stdin.read() + ")")))\n'
    assert [tasks[arm].input for arm in ARMS] == ["'abcd', 5", *["'" + "abcd" * 8 + "', 5"] * 3]
    assert (tasks[SHORT].oracle, tasks[LONG].oracle) == ("(9, 'ab')\n", "(72, 'ab')\n")
    checkpoint = tasks[INSIDE].checkpoint
    assert checkpoint is not None and checkpoint.iteration == 17


def test_an_output_other_than_the_files_is_refused(bench: Bench) -> None:
    case = function_case({**ITEM, "output": "[9, 'ab']"}, WANTED)
    verdict = build_case(case, BuildOptions(), bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.OTHER_OUTPUT
    assert verdict.refusal.detail == (
        "short-trace-final: the program writes (9, 'ab'), where its source says [9, 'ab']."
    )


def test_a_call_that_cannot_be_made_longer_and_a_function_without_loop_are_refused(bench: Bench) -> None:
    fixed = function_case({**ITEM, "input": "{'a': 1}, 5", "output": None}, WANTED)
    fixed_verdict = build_case(fixed, BuildOptions(), bench)
    assert fixed_verdict.refusal is not None and fixed_verdict.refusal.reason is Reason.INPUTS
    straight = function_case({**ITEM, "code": "def f(text, least):\n    return text * least"}, WANTED)
    verdict = build_case(straight, BuildOptions(), bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.NO_LOOP
    assert verdict.refusal.detail == "the program has no loop."


def test_a_long_input_that_is_given_is_taken() -> None:
    case = function_case({**ITEM, "long_input": "f('x' * 9, least=2)"}, WANTED)
    assert (case.short, case.long, case.offer) == ("'abcd', 5", "'x' * 9, least=2", None)


def test_a_livecodebench_execution_item_gives_its_call_whole() -> None:
    item = {**ITEM, "function_name": "f", "input": "f(text = 'a)b', least = 3)", "difficulty": "easy", "numsteps": 4}
    case = function_case(item, WANTED)
    assert case.short == "text = 'a)b', least = 3" and case.facets == {"difficulty": "easy"}
    assert case.offer is not None and case.offer.inputs[1] == "text='a)ba)b', least=3"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"id": None}, "it has no id."),
        ({"id": " "}, "its id is empty."),
        ({"code": 3}, "code is the number 3, but must be text."),
        ({"code": "def f(:"}, "its code is no Python: "),
        ({"code": "f = 3"}, "its code defines no function."),
        ({"function_name": "g"}, "its code defines no function g."),
        ({"input": "1) + (2"}, "its input is not the arguments of a call."),
        ({"input": "1,, 2"}, "its input is not the arguments of a call."),
        ({"input": "'\ud800'"}, "input holds what cannot be given to a program: a lone surrogate or a stray byte."),
        ({"output": 3}, "output is the number 3, but must be text."),
    ],
)
def test_a_function_that_cannot_be_used_says_why(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnusableError) as refused:
        function_case({**ITEM, **values}, WANTED)
    assert str(refused.value).startswith(reason) and str(refused.value).endswith(".")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 10**6) | st.text(max_size=5) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@settings(max_examples=40)
@given(st.lists(VALUES, max_size=3), st.dictionaries(st.sampled_from(["key", "count"]), VALUES, max_size=2))
def test_grown_arguments_repeat_what_can_be_repeated_and_nothing_else(values: list[Any], words: dict[str, Any]) -> None:
    everything = [*values, *words.values()]
    if any("\ud800" <= char < "\ue000" for char in repr(everything)):
        return
    text = ", ".join([*map(repr, values), *(f"{name}={value!r}" for name, value in words.items())])
    sequences = {at for at, value in enumerate(everything) if isinstance(value, str | bytes | list | tuple) and value}
    chosen = sequences or {at for at, value in enumerate(everything) if type(value) is int and value > 0}
    ways = [chosen, *({at} for at in sorted(chosen))] if len(chosen) > 1 else [chosen] if chosen else []
    longer = grown(text)
    wanted = [(way, factor) for way in ways for factor in FACTORS]
    for (way, factor), found in zip(wanted, longer, strict=True):
        call = ast.parse(f"f({found})", mode="eval").body
        assert isinstance(call, ast.Call) and [word.arg for word in call.keywords] == list(words)
        read = [ast.literal_eval(node) for node in [*call.args, *(word.value for word in call.keywords)]]
        assert read == [value * factor if at in way else value for at, value in enumerate(everything)]


def test_arguments_that_only_look_like_a_call_stay() -> None:
    assert arguments_of("f(1), f(2)", "f") == "f(1), f(2)"
    assert arguments_of(" f(1, 2) ", "f") == "1, 2"


def test_every_real_function_is_read(shared: Path) -> None:
    cases, refusals = read_cases(shared / "data" / "cruxeval" / "cruxeval.jsonl")
    assert (len(cases), refusals) == (800, [])


def test_a_line_that_is_no_usable_function_is_named(tmp_path: Path) -> None:
    path = tmp_path / "few.jsonl"
    path.write_text(json.dumps(ITEM) + "\n" + json.dumps({**ITEM, "code": ""}) + "\n")
    cases, refusals = read_cases(path)
    assert [case.name for case in cases] == ["sample_3"]
    assert [(refusal.where, refusal.reason) for refusal in refusals] == [(f"{path}:2", "its code is empty.")]
