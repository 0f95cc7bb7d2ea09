"""What explains wrong predictions about C++ programs: faults compiled together, and states of other iterations."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.cpp_changes import changes
from auditor.diagnosis.cpp_iterations import emitting_cpp
from auditor.diagnosis.cpp_running import CppRunner
from auditor.diagnosis.fault import Kind
from auditor.diagnosis.findings import fault_finding
from auditor.diagnosis.iterations import other_iteration, stale_fields, states_of
from auditor.diagnosis.search import search_all
from auditor.execution.cpp.tree import Tree
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from auditor.text import to_bytes
from tests.walls import need_cpp, need_wall

SOURCE = """\
#include <algorithm>
#include <cstdio>
#include <vector>
constexpr int most = 64;
const int size = 40;
static int table[size];
int scaled(int value) { return value * 3 + 1; }
int main() {
    std::vector<int> values;
    for (int value; std::scanf("%d", &value) == 1; ) values.push_back(value);
    std::sort(values.begin(), values.end());
    int total = 0, kept = 0;
    for (int i = 0; i < (int)values.size(); i++) {
        if (values[i] > 10 && kept < most) {
            total += scaled(values[i]) / 2;
            kept++;
        }
        table[i % size] = total;
        total = total * 7 % 100003;
    }
    if (kept < 0) total = 0;
    for (int i = 0; i < kept; i++) std::printf("%d ", table[i]);
    std::printf("%d\\n", total);
}
"""
GIVEN = "31 4 92 15\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    need_wall()
    need_cpp()
    with Sandbox() as box:
        yield box


def given_by(sandbox: Sandbox, source: str, text: str = GIVEN) -> str:
    run = sandbox.run(Program.cpp(source), stdin=to_bytes(text))
    assert run.outcome.finished, run
    return run.stdout.decode()


def exactly(given: str, predicted: str) -> bool:
    return given == predicted


def test_single_faults_are_named_with_line_and_kind_and_nothing_else_fits(sandbox: Sandbox) -> None:
    planted = [
        ("total += scaled", "total -= scaled", "line 15's `+=` were `-=`", "operator, line 15"),
        ("* 3 + 1", "* 4 + 1", "line 7's `3` were `4`", "constant, line 7"),
        (
            "std::sort(values.begin(), values.end());",
            "",
            "line 11's `std::sort(values.begin(), values.end())` were",
            None,
        ),
        ("kept++;", "kept++; kept++;", "line 16 (`kept++;`) were run twice each time", "statement, line 16"),
    ]
    own = given_by(sandbox, SOURCE)
    answers = [given_by(sandbox, SOURCE.replace(old, new, 1)) for old, new, *_ in planted]
    answers.append(given_by(sandbox, SOURCE, "31 4 29 15\n"))
    cases = [Case(SOURCE, GIVEN, own, answer, exactly, None, "c++") for answer in answers]
    found = search_all(sandbox, cases, Budget(programs=400))
    assert {one.stopped for one in found} == {None} and found[0].tried == found[0].total > 120
    for (_, _, said, detail), one, answer in zip(planted, found, answers, strict=False):
        finding = fault_finding(one, answer)
        assert finding is not None and f"if {said}" in finding.evidence, finding
        if detail is not None:
            assert finding.detail == detail and one.cause is not None
    misread = fault_finding(found[-1], answers[-1])
    assert misread is not None and "word 3 of the input, `92` in line 1, were read as `29`" in misread.evidence


def test_what_is_told_is_what_the_faults_own_program_gives(sandbox: Sandbox) -> None:
    runner = CppRunner(sandbox, Case(SOURCE, GIVEN, "", "", exactly, None, "c++"))
    faults = runner.faults()
    assert {fault.kind for fault in faults} >= {
        *(Kind.BRANCH, Kind.BRANCH_ONCE, Kind.BOUND, Kind.CONSTANT, Kind.OPERATOR, Kind.DIVISION),
        *(Kind.INPUT, Kind.STATEMENT, Kind.ORDER),
    }
    assert len({fault.source for fault in faults if fault.line}) == sum(fault.line is not None for fault in faults)
    some = [
        next(fault for fault in faults if fault.kind is kind) for kind in (Kind.BRANCH_ONCE, Kind.DIVISION, Kind.ORDER)
    ]
    pairs = [(fault.source, fault.input) for fault in some]
    assert (
        list(runner.quick_answers(pairs)) == list(runner.answers(pairs)) == [given_by(sandbox, one) for one, _ in pairs]
    )


def test_what_the_compiler_evaluates_and_what_is_never_run_is_left_alone() -> None:
    need_cpp()
    tree = Tree(
        "constexpr int a = 1; const int b = 2; int c[3]; enum { d = 4 }; static_assert(5 > 4);\n"
        "std::array<int, 6> e;\nint f(int g) { switch (g) { case 7: return 8; } return 9; }\n"
    )
    found = list(changes(tree, lambda test: 0, lambda node: tree.text(node) != "9"))
    numbers = {edit.text for change in found for edit in change.draft.edits if change.draft.kind is Kind.CONSTANT}
    assert numbers == {"9", "7", "0"}  # all of them for 8


def checkpoint(emit: str, *, behind: bool) -> tuple[str, int]:
    """Return a program with a checkpoint, and its line."""
    inside = f"        if (count == 4) {{ {emit} return 0; }}\n" if not behind else ""
    after = f"    if (count >= 6) {{ {emit} return 0; }}\n" if behind else ""
    source = (
        "#include <cstdio>\n#include <iostream>\nint main() {\n    int total = 0, last = 0, count = 0;\n"
        f"    for (int n : {{3, 3, 5, 7, 7, 9}}) {{\n        ++count;\n{inside}        total += n;\n"
        f"        if (n != 7) last = n;\n    }}\n{after}    std::cout << total;\n}}\n"
    )
    return source, next(at for at, row in enumerate(source.splitlines(), 1) if "return 0" in row)


COUT = r'std::cout << "{\"last\":" << last << ",\"total\":" << total << "}\n";'
PRINTF = r'std::printf("{\"last\":%d,\"total\":%d}\n", last, total);'


@pytest.mark.parametrize(("emit", "behind"), [(COUT, False), (PRINTF, True)])
def test_states_of_other_iterations_and_values_before_their_update_are_told(
    sandbox: Sandbox, emit: str, behind: bool
) -> None:
    source, line = checkpoint(emit, behind=behind)
    oracle = '{"last":9,"total":34}\n' if behind else '{"last":5,"total":11}\n'
    assert given_by(sandbox, source) == oracle
    case = Case(source, "", oracle, '{"last":3,"total":6}', lambda a, b: a.strip() == b.strip(), None, "c++")
    states = states_of(sandbox, case, line=line, after_loop=behind)
    assert states is not None
    assert [text.strip() for text in states.texts if text][:4] == [
        *('{"last":0,"total":0}', '{"last":3,"total":3}', '{"last":3,"total":6}', '{"last":5,"total":11}')
    ]
    found = other_iteration(states, case)
    assert found is not None and (found.iteration, found.offset) == (3, -4 if behind else -1)
    stale = Case(source, "", oracle, oracle.replace("9", "5").replace('t":5,"total":11', 't":3,"total":11'), case.equal)
    (field,) = stale_fields(states, stale)
    assert (field.field, field.predicted) == ("last", "5" if behind else "3")


def test_a_checkpoint_that_is_written_otherwise_has_no_states() -> None:
    need_cpp()
    source, line = checkpoint(COUT, behind=False)
    written = {"line": line, "after_loop": False, "mark": "\x1e", "checkpoint": "\x1f"}
    assert emitting_cpp(source, **written) is not None  # type: ignore[arg-type]
    assert emitting_cpp(source, **{**written, "line": 5}) is None  # type: ignore[arg-type]
    assert emitting_cpp(source, **{**written, "after_loop": True}) is None  # type: ignore[arg-type]
    assert emitting_cpp(source.replace("return 0;", "total = 0;"), **written) is None  # type: ignore[arg-type]
    assert emitting_cpp("int main( {", **written) is None  # type: ignore[arg-type]


def test_a_program_that_cannot_be_taken_apart_has_only_misread_inputs_and_says_so(sandbox: Sandbox) -> None:
    source = (
        "#include <cstdio>\n#define UNTIL(n) for (int i = 0; i < n; i++)\n"
        'int main() { int n; std::scanf("%d", &n); UNTIL(2) { n *= 3; } std::printf("%d\\n", n); }\n'
    )
    (found,) = search_all(sandbox, [Case(source, "4711", "42399\n", "42408\n", exactly, None, "c++")])
    assert found.stopped == "unreadable" and found.cause is None
    finding = fault_finding(found, "42408\n")
    assert finding is not None and "word 1 of the input, `4711` in line 1, were read as `4712`" in finding.evidence
    assert "The program could not be taken apart, so only misread inputs were tried." in finding.evidence
