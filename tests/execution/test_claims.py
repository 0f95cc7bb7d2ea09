"""Where a run and a prediction part, against programs whose answer is known and against a plain search."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.execution.claims import first_parting, holds, output_claim, state_claim, state_of
from auditor.execution.cut_values import CutValue, cut_of
from auditor.execution.landmarks import Stop, find_landmarks
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import Trace
from auditor.execution.tracing import Budget, trace
from auditor.model import Checkpoint
from tests.replayed import CORE, FIELDS, INSIDE, INSIDE_STATE, LONG, LOOP_LINE, POST, POST_STATE, SHORT, line_of

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


# --- one value -----------------------------------------------------------------------------------------------------


@given(JSON_VALUES)
def test_a_value_holds_for_the_text_that_python_writes_of_it(value: Any) -> None:
    assert holds(repr(value), value) is True


@given(JSON_VALUES, JSON_VALUES)
def test_a_text_tells_values_apart_as_json_does(one: Any, other: Any) -> None:
    def exact(value: Any) -> Any:
        # Numbers are equal across types, true and false are no numbers.
        if isinstance(value, dict):
            return {key: exact(item) for key, item in value.items()}
        return list(map(exact, value)) if isinstance(value, list) else (isinstance(value, bool), value)

    assert holds(repr(one), other) is (exact(one) == exact(other))


@given(st.text(max_size=60), JSON_VALUES)
def test_no_text_breaks_a_comparison(text: str, value: Any) -> None:
    assert holds(text, value) in (True, False, None)


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        (None, 1, False),
        ("1", True, False),
        ("True", 1, False),
        ("1.0", 1, True),
        ("(1, 2)", [1, 2], True),
        ("deque([1, 2])", [1, 2], True),
        ("{1: 'a'}", {"1": "a"}, True),
        ("{1, 2}", [1, 2], None),
        ("[1, 2, ...]", [1, 2, 3], None),
        ("'abc... (9,000 characters)", "abc", None),
        ("Node(value=1)", {"value": 1}, None),
        ("nan", 1, None),
        ("[" * 5000, [], None),
    ],
)
def test_what_a_text_tells(text: str | None, value: Any, right: bool | None) -> None:
    assert holds(text, value) is right


@pytest.mark.parametrize("text", [None, "", "[1]", "3", '{"a": 1', '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 100_000])
def test_what_is_no_state(text: str | None) -> None:
    assert state_of(text) is None


# --- a state -------------------------------------------------------------------------------------------------------


def run(sandbox: Sandbox, source: str, stdin: str = "", point: Checkpoint | None = None, **budget: int) -> Trace:
    stop = Stop.of(source, point) if point is not None else None
    moments = stop.moments if stop is not None else ()
    return trace(
        sandbox,
        Program.python(source),
        stdin=stdin.encode(),
        checkpoints=moments,
        budget=Budget(**budget),
    )


def step_of(traced: Trace, source: str, point: Checkpoint) -> int:
    step = Stop.of(source, point).step(traced)
    assert step is not None
    return step


INSIDE_POINTS = [
    (INSIDE, Checkpoint(line_of(INSIDE, "json.dumps"), "before-iteration", 502, FIELDS)),
    (CORE, Checkpoint(LOOP_LINE, "before-iteration", 502, FIELDS)),
    (CORE, Checkpoint(LOOP_LINE + 1, "before-iteration", 502, FIELDS)),
]
POST_POINTS = [
    (POST, Checkpoint(line_of(POST, "json.dumps"), "after-loop", None, FIELDS)),
    (CORE, Checkpoint(LOOP_LINE, "after-loop", 1002, FIELDS)),
    (CORE, Checkpoint(line_of(CORE, "print"), "after-loop", None, FIELDS)),
]


@pytest.mark.parametrize(
    ("source", "point", "oracle"),
    [*((*one, INSIDE_STATE) for one in INSIDE_POINTS), *((*one, POST_STATE) for one in POST_POINTS)],
    ids=["emitted inside", "loop", "body line", "emitted after", "loop that ended", "line behind it"],
)
def test_the_worked_example_is_true_where_the_checkpoint_says(
    sandbox: Sandbox, source: str, point: Checkpoint, oracle: str
) -> None:
    traced = run(sandbox, source, LONG, point)
    step = step_of(traced, source, point)
    claim = state_claim(traced, json.loads(oracle), step)
    assert all(one.holds for one in claim.fields) and claim.together == step and claim.contradiction is None
    assert {name: traced.state(step).variables[name] for name in FIELDS} == {
        name: str(value) for name, value in json.loads(oracle).items()
    }


@pytest.mark.parametrize(("given", "oracle"), [(SHORT, b"9\n"), (LONG, b"251502\n")], ids=["short", "long"])
def test_the_worked_example_gives_its_outputs(sandbox: Sandbox, given: str, oracle: bytes) -> None:
    traced = run(sandbox, CORE, given)
    marks = find_landmarks(traced, CORE)
    assert traced.run.stdout == oracle
    assert output_claim(traced, marks, oracle, exact=False) is None
    assert len(marks.iterations[LOOP_LINE]) == int(given.split()[0])


COUNT = "total = 0\nfor i in range(50):\n    total += i\n    twice = 2 * total\nprint(total)\n"


@pytest.mark.parametrize("offset", [-3, -1, 0, 1, 2])
def test_a_state_of_another_iteration_is_found_where_it_was_true(sandbox: Sandbox, offset: int) -> None:
    point = Checkpoint(2, "before-iteration", 20)
    traced = run(sandbox, COUNT, point=point)
    step = step_of(traced, COUNT, point)
    begins = find_landmarks(traced, COUNT).iterations[2]
    assert begins[19] == step
    total = sum(range(19 + offset))
    claim = state_claim(traced, {"total": total, "twice": 2 * total}, step)
    found = claim.together if offset <= 0 else claim.together_after
    assert found is not None
    # It is true from the end of an iteration until the next one has added to it.
    assert begins[19 + offset] - 1 <= found <= begins[19 + offset]
    if offset < 0:
        assert claim.contradiction is not None and found < claim.contradiction <= step
        assert claim.contradiction == found + 1


def test_a_value_that_never_was_parts_where_the_wrong_one_was_taken(sandbox: Sandbox) -> None:
    point = Checkpoint(2, "before-iteration", 20)
    traced = run(sandbox, COUNT, point=point)
    step = step_of(traced, COUNT, point)
    (field,) = state_claim(traced, {"total": 172}, step).fields
    assert (field.holds, field.last_true, field.text) == (False, None, "171")
    assert field.parted is not None
    change = traced.step(field.parted).changes
    assert [(one.name, one.text) for one in change] == [("total", "171")]


def test_a_field_that_is_no_variable_is_not_compared(sandbox: Sandbox) -> None:
    point = Checkpoint(2, "before-iteration", 20)
    traced = run(sandbox, COUNT, point=point)
    oracle: dict[str, Any] = {"total": 171, "twice": -1}
    claim = state_claim(traced, {"total": 171, "twice": -1}, step_of(traced, COUNT, point), oracle)
    assert [one.comparable for one in claim.fields] == [True, False]
    assert [one.holds for one in claim.fields] == [True, None]


LONG_VALUES = """class Name(str):
    pass
text, data, deep = "x" * 150, b"y" * 5_000, []
for _ in range(20):
    deep = [deep, print]
many, name, inner = list(range(90)), Name("z" * 150), [print, "x" * 5_000]
fits, dots, quote = "x" * 90, ["... (5 characters)"], '"...' + "'"
"""


def test_a_value_that_was_cut_says_so_and_a_whole_one_does_not(sandbox: Sandbox) -> None:
    traced = run(sandbox, LONG_VALUES, value=100)
    seen = traced.state(traced.kept[-1][-1]).module
    assert {name: cut_of(text) for name, text in seen.items()} == {
        "text": CutValue(100, 152),
        "data": CutValue(100, 5_000),
        "deep": CutValue(len(seen["deep"]), None),
        "_": None,
        "many": CutValue(100, len(str(list(range(90))))),
        "name": CutValue(len(seen["name"]), None),
        "inner": CutValue(len(seen["inner"]), None),
        "fits": None,
        "dots": None,
        "quote": None,
    }
    assert cut_of(None) is None


def test_a_value_that_was_cut_is_neither_true_nor_false(sandbox: Sandbox) -> None:
    source = 'v = "a"\nv = "b" * 150\nv = "c"\nw = 1\n'
    traced = run(sandbox, source, value=100)
    (last,) = traced.kept[-1][-1:]
    claim = state_claim(traced, {"v": "a"}, last)
    (field,) = claim.fields
    assert (field.holds, claim.cut) == (False, ("v",))
    # At the step between it may have been "a" or not, so that it parted by the step at which it is known to have.
    assert field.last_true is not None and field.parted == field.last_true + 2 and field.parted_by
    for shown in ("b" * 150, "b" * 99, "b"):
        assert state_claim(traced, {"v": shown}, last - 2).fields[0].holds is None


def test_a_value_that_was_cut_stays_unknown_however_much_was_read(sandbox: Sandbox) -> None:
    source = "for i in range(9):\n    v = [i] * 90_000\n"
    traced = run(sandbox, source, value=100_000)
    (last,) = traced.kept[-1][-1:]
    (field,) = state_claim(traced, {"v": [8] * 90_000}, last).fields
    assert (field.holds, field.last_true, field.parted) == (None, None, None)


FUNCTION = """total = 100
def add(n):
    total = 0
    for i in range(n):
        total += i
    return total
print(add(3) + add(6))
"""


def test_the_fields_are_those_of_the_function_that_the_checkpoint_is_in(sandbox: Sandbox) -> None:
    point = Checkpoint(4, "before-iteration", 8)
    traced = run(sandbox, FUNCTION, point=point)
    step = step_of(traced, FUNCTION, point)
    claim = state_claim(traced, {"total": 6, "i": 4}, step)
    assert [one.holds for one in claim.fields] == [True, True]
    assert claim.together == step
    # 100 is the module's, which no line of the function sees.
    assert state_claim(traced, {"total": 100}, step).fields[0].last_true is None


@pytest.mark.parametrize("point", [Checkpoint(2, "before-iteration", 80), Checkpoint(3, "before-iteration", 80)])
def test_a_checkpoint_that_is_never_reached_is_none(sandbox: Sandbox, point: Checkpoint) -> None:
    traced = run(sandbox, COUNT, point=point)
    assert Stop.of(COUNT, point).step(traced) is None
    claim = state_claim(traced, {"total": 3, "i": 2}, None)
    assert all(one.holds is None for one in claim.fields) and claim.together is not None


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(0, 3), st.integers(0, 3), st.data())
def test_the_search_finds_what_a_plain_look_at_every_state_finds(
    sandbox: Sandbox, values: list[int], first: int, second: int, data: st.DataObject
) -> None:
    source = f"a = b = 0\nfor v in {values}:\n    a = v\n    b = (b + v) % 4\nprint(a, b)\n"
    traced = run(sandbox, source)
    checkpoint = data.draw(st.integers(0, len(traced) - 1))
    predicted = {"a": first, "b": second}
    states = [traced.state(number).module for number in range(len(traced))]
    true = [all(one.get(name) == str(value) for name, value in predicted.items()) for one in states]
    claim = state_claim(traced, predicted, checkpoint)
    assert claim.together == max((n for n in range(checkpoint + 1) if true[n]), default=None)
    assert claim.together_after == min((n for n in range(checkpoint + 1, len(states)) if true[n]), default=None)
    for field in claim.fields:
        at = [one.get(field.name) == str(field.predicted) for one in states[: checkpoint + 1]]
        assert field.holds is at[-1]
        assert field.last_true == max((n for n, right in enumerate(at) if right), default=None)
        if not at[-1] and field.last_true is not None:
            assert field.parted == field.last_true + 1
        elif not at[-1]:
            texts = [one.get(field.name) for one in states[: checkpoint + 1]]
            assert field.parted == next(n for n in range(len(texts)) if set(texts[n:]) == {texts[-1]})


# --- output --------------------------------------------------------------------------------------------------------


def test_the_step_that_wrote_the_first_byte_that_parts(sandbox: Sandbox) -> None:
    source = "for i in range(30):\n    print(i, end=' ')\n    x = i\nprint('end')\n"
    traced = run(sandbox, source)
    marks = find_landmarks(traced, source)
    predicted = " ".join(map(str, range(17))) + " 77 18"
    claim = output_claim(traced, marks, predicted.encode(), exact=False)
    assert claim is not None and claim.step is not None and not claim.ends
    assert traced.step(claim.step).line == 2 and traced.state(claim.step).module["i"] == "17"
    assert traced.run.stdout[claim.written :].startswith(b"17") and predicted[claim.predicted :].startswith("77")
    cut = output_claim(traced, marks, b" ".join(b"%d" % n for n in range(30)) + b" end more", exact=False)
    assert cut is not None and cut.ends and cut.step == marks.numbers[-1]


@given(st.text("ab \n", max_size=12), st.text("ab \n", max_size=12))
def test_white_space_only_separates(one: str, other: str) -> None:
    found = first_parting(one.encode(), other.encode(), exact=False)
    assert (found is None) == (one.split() == other.split())
    if found is not None:
        ours, theirs = one[: found[0]], other[: found[1]]
        assert "".join(ours.split()) == "".join(theirs.split())
    exact = first_parting(one.encode(), other.encode(), exact=True)
    assert (exact is None) == (one == other)
    if exact is not None:
        assert one[: exact[0]] == other[: exact[0]] and one[exact[0] :][:1] != other[exact[0] :][:1]


def test_a_long_run_keeps_its_checkpoint_and_says_nothing_of_what_is_not_kept(sandbox: Sandbox) -> None:
    source = COUNT.replace("range(50)", "range(3000)")
    point = Checkpoint(2, "before-iteration", 2500)
    traced = run(sandbox, source, point=point, steps=500, before=40, after=20)
    step = step_of(traced, source, point)
    assert len(traced.kept) == 3 and step in traced.kept[1]
    total = sum(range(2499))
    claim = state_claim(traced, {"total": total, "i": 7}, step)
    assert [one.holds for one in claim.fields] == [True, False]
    assert claim.fields[1].last_true is not None and claim.fields[1].last_true < 500
