"""Which faults fit a wrong prediction, when one is called the cause, and how budgets are told."""

from __future__ import annotations

import ast

import pytest

from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.findings import fault_finding
from auditor.diagnosis.search import search, search_all
from auditor.execution.sandbox import Sandbox
from auditor.grading.policies import BYTES, PYTHON_LITERAL
from tests.diagnosis.measuring import Score, Sown, look_for, trials
from tests.hostile import HOSTILE


def same_text(left: str, right: str) -> bool:
    return BYTES.equal(left, right).correct


def same_literal(left: str, right: str) -> bool:
    return PYTHON_LITERAL.equal(left, right).correct


def of_function(source: str, arguments: str, oracle: str, prediction: str) -> Case:
    return Case(source, arguments, oracle, prediction, same_literal, "f")


@pytest.mark.parametrize(
    ("source", "arguments", "prediction", "clause"),
    [
        (
            "def f(n):\n    return [i for i in range(9) if i * 7 < n]",
            "35",
            "[0, 1, 2, 3, 4, 5]",
            "line 2's `<` were `<=`",
        ),
        ("def f(a, b):\n    return a * 100 + b // 7", "31, 50", "3107.1428571428573", "line 2's `//` were `/`"),
        (
            "def f(x):\n    return sorted(x)",
            "['bb', 'ca', 'ab']",
            "['bb', 'ca', 'ab']",
            "line 2's `sorted(x)` were not sorted",
        ),
        ("def f(s):\n    return s.lower() + s", "'MixedCase'", "'MIXEDCASEMixedCase'", "line 2's `lower` were `upper`"),
        ("def f(s):\n    return s.strip() + '|'", "' padded  '", "' padded  |'", "line 2's `.strip()` were not there"),
        (
            "def f(x):\n    x.append(40)\n    x[0] = 17\n    return x",
            "[81, 23]",
            "[81, 23, 40]",
            "line 3 (`x[0] = 17`) were skipped",
        ),
        (
            "def f(s):\n    if s == 'abc':\n        return 'yes it is'\n    return 'no it is not'",
            "'abd'",
            "'yes it is'",
            "line 2's condition `s == 'abc'` came out the other way each time",
        ),
        ("def f(x):\n    return x[1:3] * 2", "[45, 67, 89, 23]", "[45, 67, 89, 45, 67, 89]", "line 2's `1` were `0`"),
    ],
)
def test_a_fault_is_found_and_told_with_its_line(
    sandbox: Sandbox, source: str, arguments: str, prediction: str, clause: str
) -> None:
    space: dict[str, object] = {}
    exec(source, space)
    oracle = repr(eval(f"f({arguments})", space))
    found = search(sandbox, of_function(source, arguments, oracle, prediction))
    assert clause in [fault.clause for fault in found.faults]
    assert found.stopped is None and found.tried == found.total


def test_a_fault_can_be_checked_by_hand(sandbox: Sandbox) -> None:
    source = (
        "total = 7\nfor n in map(int, input().split()):\n    if n > 3:  # large\n        total += n * n\nprint(total)\n"
    )
    found = search(sandbox, Case(source, "3 41 58\n", "5052\n", "5061\n", same_text))
    fault = next(fault for fault in found.faults if fault.line == 3 and fault.changed == ">=")
    assert fault.source == source.replace("n > 3", "n >= 3")
    assert (fault.kind, fault.original, fault.column, fault.input) == ("bound", ">", 9, "3 41 58\n")
    (run,) = sandbox.run_many([(fault.source.encode(), fault.input.encode())])
    assert run.stdout == b"5061\n"


def test_faults_of_the_input_are_found(sandbox: Sandbox) -> None:
    source = "print(sum(int(n) ** 3 for n in input().split()))\n"
    oracle, prediction = f"{123**3 + 45**3}\n", f"{132**3 + 45**3}\n"
    found = search(sandbox, Case(source, "123 45\n", oracle, prediction, same_text))
    assert found.cause is not None
    assert (found.cause.kind, found.cause.line, found.cause.input) == ("input", None, "132 45\n")


def test_none_of_several_faults_is_called_the_cause(sandbox: Sandbox) -> None:
    source = "def f(x):\n    x = x[1:]\n    x.reverse()\n    return x"
    found = search(sandbox, of_function(source, "[512, 733, 941]", "[941, 733]", "[941, 733, 512]"))
    assert len(found.groups) > 1 and found.cause is None
    finding = fault_finding(found, "[941, 733, 512]")
    assert finding is not None and finding.mode == "counterfactual"
    assert "single faults" in finding.evidence and "x = x[1:]" in finding.evidence


def test_an_answer_that_many_mistakes_give_is_weak(sandbox: Sandbox) -> None:
    source = "def f(x):\n    n = 0\n    for each in x:\n        if each > 4:\n            n += 1\n    return n"
    found = search(sandbox, of_function(source, "[3, 9, 8, 1]", "2", "0"))
    assert found.groups and found.weak and found.cause is None
    finding = fault_finding(found, "0")
    assert finding is not None and "weak evidence" in finding.evidence


def test_where_chance_decides_nothing_that_fits_counts(sandbox: Sandbox) -> None:
    own: list[str] = []

    def equal(given: str, wanted: str) -> bool:
        """Take the program's first output for right, and any other for the prediction."""
        own.append(given)
        return (given == own[0]) == (wanted == "right")

    source = "import os\nprint(os.urandom(8).hex())"
    found = search(sandbox, Case(source, "", "right", "wrong", equal))
    assert (found.stopped, found.groups, found.cause, found.tried > 0) == ("varies", (), None, True)
    assert fault_finding(found, "wrong") is None and "something else" in found.extent


def test_a_budget_is_kept_and_told(sandbox: Sandbox) -> None:
    source = "def f(x):\n    return [each * 3 + 1 for each in x if each % 2 == 0]"
    case = of_function(source, "[4, 8, 15, 16]", "[13, 25, 49]", "[1]")
    found = search(sandbox, case, Budget(programs=5))
    assert (found.tried, found.stopped) == (5, "programs")
    assert found.extent == f"5 of {found.total} faults tried, then the budget of programs was spent"
    assert search(sandbox, case, Budget(seconds=0)).stopped == "seconds"


@pytest.mark.parametrize("source", ["def f(x):\n    return x", "def f(x", "def f(x):\n    raise SystemExit"])
def test_nothing_is_tried_when_the_program_does_not_give_the_oracle(sandbox: Sandbox, source: str) -> None:
    found = search(sandbox, of_function(source, "3", "4", "5"))
    assert (found.tried, found.stopped, found.groups) == (0, "differs", ())
    assert fault_finding(found, "5") is None


def test_lines_that_are_never_reached_are_not_changed(sandbox: Sandbox) -> None:
    source = "def f(x):\n    if x > 100:\n        return x * 7 + 3\n    return x * 5"
    found = search(sandbox, of_function(source, "20", "100", "143"))
    assert {fault.line for fault in found.faults} == {2}  # only another branch leads to line 3
    assert all(ast.parse(fault.source) for fault in found.faults)


def test_texts_of_all_sorts_are_searched_without_an_error(sandbox: Sandbox) -> None:
    for text in list(HOSTILE.values())[:6]:
        found = search(sandbox, Case("print(1)", text, "1\n", text, same_text), Budget(programs=3))
        finding = fault_finding(found, text)
        assert finding is None or finding.evidence.isprintable()


def test_planted_faults_are_named_and_no_wrong_cause_is_claimed(sandbox: Sandbox) -> None:
    score = Score()
    small = Sown("small", "n = int(input())\nt = 3\nif n > 7:\n    t = t * 20 + n\nprint(t)\n", "9\n")
    sought = trials(sandbox, small, 2)
    for trial, found in zip(sought, look_for(sandbox, sought), strict=True):
        score.add(trial, found)
    assert score.trials >= 3 and score.alone >= 1
    assert score.named == score.alone
    assert score.wrong == 0


def test_several_predictions_about_a_program_are_told_as_each_alone_is(sandbox: Sandbox) -> None:
    source = "def f(x):\n    return [n * 3 for n in x if n > 4]"
    predictions = ["[12, 27, 24]", "[9, 8]", "[27, 24]"]
    cases = [of_function(source, "[4, 9, 8, 1]", "[27, 24]", one) for one in predictions]
    together = search_all(sandbox, cases)
    assert together == [search(sandbox, case) for case in cases]
    assert together[0].faults and together[2].stopped == "differs"
    assert len({one.tried for one in together} - {0}) == 1
