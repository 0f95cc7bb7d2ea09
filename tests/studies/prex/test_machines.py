"""Both semantics by hand: rules in their order, errors, budgets, and what is known to differ."""

from __future__ import annotations

import pytest

from auditor.studies.prex.cstar.differences import DIFFERENCES
from auditor.studies.prex.cstar.machine import LARGEST, Change, Ending, Execution, Stepper, run
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.rules import Formalism, rules_of

S, K = Formalism.S, Formalism.K


def ran(source: str, formalism: Formalism, budget: int = 10_000) -> Execution:
    """Run a program both at once and step by step, which must come to the same."""
    program = parse(source)
    execution = run(program, formalism, budget)
    stepper = Stepper(program, formalism, budget)
    steps = list(stepper)
    assert stepper.execution == execution
    assert stepper.state == execution.state
    assert [step.number for step in steps] == list(range(1, execution.steps + 1))
    return execution


def applied(source: str, formalism: Formalism) -> list[int]:
    return [step.rule for step in Stepper(parse(source), formalism)]


WHILE_TWICE = "int i; while (i < 2) { i = (i + 1); }"


def test_the_rules_of_small_steps_in_their_order() -> None:
    turn = [1, 30, 70, 1, 9, 5, 77]
    assert applied(WHILE_TWICE, S) == [3, 67, *turn, *turn, 1, 31, 69]


def test_the_rules_of_k_in_their_order() -> None:
    turn = [25, 1, 12, 22, 1, 3, 21, 28]
    assert applied(WHILE_TWICE, K) == [36, 24, *turn, *turn, 25, 1, 12, 23, 27]


def test_a_small_step_tells_which_rules_lead_to_it() -> None:
    steps = list(Stepper(parse("int a;\na = (1 + (-(a * 2)));\nif (!(a < 1)) { }"), S))
    through = [(step.rule, step.through) for step in steps]
    assert through == [
        (3, (63,)),
        (1, (63, 4, 8, 24, 13)),
        (15, (63, 4, 8, 24)),
        (25, (63, 4, 8)),
        (9, (63, 4)),
        (5, (63,)),
        (1, (63, 64, 60, 28)),
        (31, (63, 64, 60)),
        (61, (63, 64)),
        (65, (63,)),
    ]
    assert steps[2].place == (2, 12, 2, 19)
    assert steps[9].place == (3, 1, 3, 14)
    assert steps[5].change == Change("a", 0, 1)


NESTED = """\
int i; int j; int n;
while (i < 3) {
    i = (i + 1);
    j = 0;
    while (true) {
        j = (j + 1);
        if (j == 2) { continue; n = 1000; } else { };
        if (j > 3) { break; n = 1000; } else { };
        n = (n + 1);
    };
    if (i == 2) { continue; } else { };
    n = (n + 100);
};
"""


@pytest.mark.parametrize("formalism", Formalism)
def test_break_and_continue_belong_to_the_loop_that_is_nearest(formalism: Formalism) -> None:
    assert dict(ran(NESTED, formalism).state) == {"i": 3, "j": 4, "n": 206}


def test_break_and_continue_pass_over_statements_one_by_one() -> None:
    source = "while (true) { if (true) { break; halt; }; halt; halt; }"
    assert applied(source, S) == [67, 70, 65, 71, 71, 71, 72]
    assert applied(source, K) == [24, 25, 22, 22, 33, 33, 33, 33, 33, 35]
    source = "int i; while (i < 1) { i = 1; continue; halt; }"
    assert applied(source, S)[-5:] == [74, 75, 1, 31, 69]
    assert applied(source, K)[-7:] == [30, 29, 25, 1, 12, 23, 27]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 / -2", -3),
        ("-7 / -2", 3),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("-7 % -3", -1),
        ("0 / -5", 0),
        ("+5", 5),
        ("- -5", 5),
        ("2 - 3 - 4", -5),
        ("2 + 3 * 4", 14),
    ],
)
@pytest.mark.parametrize("formalism", Formalism)
def test_arithmetic_is_that_of_c(formalism: Formalism, text: str, value: int) -> None:
    assert dict(ran(f"int x; x = {text};", formalism).state) == {"x": value}


CONDITIONS = [
    *((f"{a} {sign} {b}", {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[sign])
      for sign in ("<", "<=", ">", ">=", "==", "!=") for a, b in ((1, 2), (2, 2), (3, 2))),
    *((f"{a} && {b}", a == b == "true") for a in ("true", "false") for b in ("true", "false")),
    *((f"{a} || {b}", "true" in (a, b)) for a in ("true", "false") for b in ("true", "false")),
    ("!true", False),
    ("!false", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "holds"), CONDITIONS)
@pytest.mark.parametrize("formalism", Formalism)
def test_conditions(formalism: Formalism, text: str, holds: bool) -> None:
    state = ran(f"int x; if ({text}) {{ x = 1; }} else {{ x = 2; }}", formalism).state
    assert state["x"] == (1 if holds else 2)


ERRORS = [
    ("int x; x = y;", 2, 2, (1, 12)),
    ("int x;\nx = (1 / 0);", 19, 7, (2, 5)),
    ("int x;\nif ((x % x) == 0) { }", 23, 9, (2, 5)),
    ("int x; x = 1; break; x = 2;", 73, 34, (1, 15)),
    ("int x; while (x < 1) { x = 1; }; continue;", 76, 31, (1, 34)),
    ("while (true) { break; }; if (true) { break; halt; }", 73, 34, (1, 38)),
    ("int x; while ((1 / x) > 0) { }", 19, 7, (1, 15)),
    ("int x; x = ((1 / 0) + y);", 19, 7, (1, 13)),
    ("int x; if (false && (y == 1)) { }", 2, 2, (1, 22)),
    ("int x; if (true || ((1 % x) == 1)) { }", 23, 9, (1, 21)),
]


@pytest.mark.parametrize(("source", "small_step", "k", "place"), ERRORS)
def test_errors_have_their_rule_and_place(source: str, small_step: int, k: int, place: tuple[int, int]) -> None:
    for formalism, number in ((S, small_step), (K, k)):
        execution = ran(source, formalism)
        assert (execution.ending, execution.rule, execution.verdict) == (Ending.ERROR, number, "error")
        assert execution.place is not None
        assert execution.place[:2] == place
        assert f"violates Rule {number} (" in execution.sentence
    assert ran(source, S).state == ran(source, K).state


def test_halt_is_a_success() -> None:
    for formalism in Formalism:
        execution = ran("int x; while (true) { x = 7; halt; }; x = (1 / 0);", formalism)
        assert (execution.ending, execution.verdict, dict(execution.state)) == (Ending.HALTED, "success", {"x": 7})


def test_the_empty_program_is_complete_at_once() -> None:
    for formalism in Formalism:
        execution = ran("", formalism)
        assert (execution.ending, execution.steps, execution.verdict) == (Ending.COMPLETE, 0, "success")


def test_every_rule_is_applied_by_some_program_but_the_one_that_cannot_be() -> None:
    sources = [
        WHILE_TWICE,
        NESTED,
        "while (true) { break; halt; }; halt;",
        "int x; x = +x; x = -x; x = 8 / 3 * 2 % 5 - 1;",
    ]
    sources += [f"if ({text}) {{ }}" for text, _ in CONDITIONS] + [source for source, *_ in ERRORS] + ["x = 1;"]
    sources += [
        f"int x; if ((x {sign} x) == (x {sign} x)) {{ }}; x = (x {sign} x);" for sign in ("+", "-", "*", "/", "%")
    ]
    sources += [f"int x; if (x {sign} x) {{ }}" for sign in ("<", "<=", ">", ">=", "==", "!=")]
    sources += ["int x; x = (1 + x) - (x + 1) * (x * 2) / (1 / (x + 1)) % (1 % (1 + x));", "int x; x = -(x) + +(x);"]
    sources += ["int x; if (((x < 1) && (x < 2)) || !(x < 1)) { }"]
    sources += [f"int x; x = ((x {sign} x) {sign} (2 {sign} x));" for sign in ("+", "-", "*")]
    sources += [f"int x; x = 3; x = ((x {sign} x) {sign} (2 {sign} x));" for sign in ("/", "%")]
    seen: dict[Formalism, set[int]] = {S: set(), K: set()}
    for source in sources:
        for formalism in Formalism:
            for step in Stepper(parse(source), formalism, 1000):
                seen[formalism] |= {step.rule, *step.through}
    assert seen[S] == {rule.number for rule in rules_of(S)}
    assert seen[K] == {rule.number for rule in rules_of(K)} - {32}


def test_the_budget_of_steps_cuts_exactly_and_takes_back_what_is_beyond() -> None:
    source = "int x; x = 1; x = (x + 1); while (true) { x = (x + 1); }"
    whole = list(Stepper(parse(source), S, 30))
    for budget in range(1, 20):
        execution = ran(source, S, budget)
        assert (execution.ending, execution.steps, execution.verdict) == (Ending.STEPS, budget, None)
        changes = [step.change for step in whole[:budget] if step.change]
        assert execution.state == {change.name: change.new for change in changes}
    assert ran("int x; x = 1;", S, 2).ending is Ending.COMPLETE
    assert ", after 7 steps." in ran(source, K, 7).sentence


@pytest.mark.parametrize("formalism", Formalism)
def test_values_that_grow_without_end_are_stopped(formalism: Formalism) -> None:
    execution = ran("int x; x = 10; while (true) { x = (x * x); }", formalism)
    assert execution.ending is Ending.VALUE
    assert execution.state["x"] < LARGEST
    assert execution.verdict is None
    assert ran(f"int x; x = {'9' * 600};", formalism).ending is Ending.COMPLETE


@pytest.mark.parametrize("formalism", Formalism)
def test_a_sign_without_a_rule_is_stuck(formalism: Formalism) -> None:
    execution = ran("int x; x = (* 3);", formalism)
    assert (execution.ending, execution.verdict) == (Ending.STUCK, None)
    assert "no rule applies to the sign '*'" in execution.sentence


@pytest.mark.parametrize("formalism", Formalism)
def test_deep_nesting_does_not_meet_the_python_stack(formalism: Formalism) -> None:
    sums = parse("int a; a = " + "(1 + " * 3000 + "a" + ")" * 3000 + ";")
    assert run(sums, formalism).state["a"] == 3000
    blocks = parse("int a;" + "if (true) {" * 2000 + "a = 1;" + "}" * 2000)
    assert run(blocks, formalism).state["a"] == 1


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda one: one.key)
def test_the_listed_differences_are_so(difference: object) -> None:
    from auditor.studies.prex.cstar.differences import Difference

    assert isinstance(difference, Difference)
    one, other = ran(difference.program, S), ran(difference.program, K)
    assert ((one.verdict, dict(one.state)) != (other.verdict, dict(other.state))) == difference.formalisms_differ
    told = {
        "assignment-to-undeclared": ("error", None),
        "redeclaration": ("success", None),
        "no-short-circuit": ("error", "error"),
    }
    assert (one.verdict, other.verdict) == told.get(difference.key, ("success", "success"))
