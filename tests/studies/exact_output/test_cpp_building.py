"""C++ cases: the worked example's numbers, what is left as it was, and a program for each reason that is C++'s own."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.execution.cpp.tree import Tree
from auditor.execution.program import Program
from auditor.studies.exact_output import cpp_subject
from auditor.studies.exact_output.building import BuildOptions, build_case
from auditor.studies.exact_output.case import ARMS, INSIDE, LONG, NEVER, POST, SHORT, Case, Point, Reason
from auditor.studies.exact_output.case_files import read_cases
from auditor.studies.exact_output.checking import Bench, check_order
from auditor.studies.exact_output.cpp_instrument import instrument_cpp
from auditor.studies.exact_output.cpp_static import _is_decision, cyclomatic_cpp, nesting_cpp
from tests.studies.exact_output.cpp_programs import CPP_NAND, CPP_SUM, CPP_TOTAL, CPP_WORKED
from tests.walls import need_cpp

OPTIONS = BuildOptions("s")
SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs" / "cpp_programs"


@pytest.fixture(autouse=True)
def cpp() -> None:
    need_cpp()


def test_the_worked_example_in_cpp_is_admitted_with_the_numbers_of_the_study(bench: Bench) -> None:
    verdict = build_case(CPP_WORKED, OPTIONS, bench)
    assert verdict.refusal is None and verdict.point == Point(10, 502, ("ans", "cnt1"))
    tasks = {task.arm: task for task in verdict.tasks}
    assert {arm: tasks[arm].oracle for arm in ARMS} == {
        SHORT: "9\n",
        LONG: "251502\n",
        INSIDE: '{"ans":63250,"cnt1":500}\n',
        POST: '{"ans":251502,"cnt1":2}\n',
    }
    assert {(task.language, task.clean_source) for task in verdict.tasks} == {("cpp", CPP_NAND)}
    inside, post = tasks[INSIDE].checkpoint, tasks[POST].checkpoint
    assert inside is not None and post is not None
    assert (inside.when, inside.iteration, inside.clean_line) == ("before-iteration", 502, 10)
    assert (post.when, post.iteration) == ("after-loop", 1002)
    for arm, point in ((INSIDE, inside), (POST, post)):
        assert "std::cout" in tasks[arm].source.splitlines()[point.line - 1]
        kept = iter(tasks[arm].source.splitlines())
        assert all(line in kept for line in CPP_NAND.splitlines())
        done = bench.sandbox.run(Program.cpp(tasks[arm].source), stdin=tasks[arm].input.encode())
        assert done.stdout.decode() == tasks[arm].oracle
    lengths = [tasks[arm].measures["trace_length"] for arm in ARMS]
    # Around the loop are 5 statements and itself. In each of its rounds: the element, the declaration, the branch with
    # its test and the chosen statement, and three more.
    assert lengths[:2] == [6 + 5 * 8, 6 + 1002 * 8]
    # Counter, branch and test in each round, or the counter alone and the others behind the loop; then write and leave.
    assert lengths[2:] == [5 + 501 * 11 + 4 + 2, 5 + 1002 * 9 + 2 + 2]
    assert [tasks[arm].measures["cyclomatic"] for arm in ARMS] == [3, 3, 4, 4]
    assert tasks[LONG].measures["nesting"] == 3 and "peak_state" not in tasks[LONG].measures
    assert tasks[LONG].facets["branches_preserved"] is True


def test_what_is_not_given_is_proposed(bench: Bench) -> None:
    source = (
        "#include <cstdio>\nint main() {\n    int total = 0, n, last = 0;\n"
        '    for (int i = 0; i < 9; i++) std::printf(".");\n'
        '    while (std::scanf("%d", &n) == 1) { total += n; last = n; }\n    return total + last < 0;\n}\n'
    )
    subject = cpp_subject.CppSubject(Case("sum", source, "1 2\n", "1 2 3 4 5 6\n", "cpp"))
    check_order(bench, subject)
    # Of both loops something was written by then, so the one with more iterations comes first.
    assert subject.points(bench) == [Point(5, 4, ("last", "n", "total"))]


def test_loops_without_braces_and_on_one_line_are_instrumented_as_the_compiler_has_them() -> None:
    source = (
        "int f(int n) {\n  int s = 0;\n  if (n) for (int i = 0; i < n; i++) s += i;\n"
        "  else do { s--; } while (s > 9); // end\n  return s; }\n"
    )
    tree, kinds = Tree(source), {"s": "int"}
    inside = instrument_cpp(tree, Point(3, 2, ("s",)), INSIDE, kinds, iteration=2)
    post = instrument_cpp(tree, Point(3, 2, ("s",)), POST, kinds, iteration=3)
    one_line = instrument_cpp(tree, Point(4, 2, ("s",)), INSIDE, kinds, iteration=NEVER)
    for made in (inside, post, one_line):
        emitted = r'std::cout << "{\"s\":" + std::to_string(s) + "}\n";'
        assert made.source.splitlines()[made.line - 1].strip() == emitted
        loops = [tree.text(node) for node in Tree(made.source).loops()]
        assert len(loops) == 2  # it is still C++, with the loops that it had
        assert made.source.count("++loop_count;") == 1 and made.source.startswith(
            "#include <cstdlib>\n#include <iostream>"
        )
    body = Tree(post.source)
    branch = next(node for node in body.walk() if node.type == "if_statement" and body.text(node).startswith("if (n)"))
    chosen = branch.child_by_field_name("consequence")
    assert chosen is not None and "loop_count >= 3" in body.text(chosen)


_LEAVE = CPP_TOTAL.replace("#include <cstdio>", "#include <cstdio>\n#include <cstdlib>")
_FIELDS = """\
#include <cstdio>
#include <unordered_map>
int main() {
    int n;
    double mean = 0;
    std::unordered_map<int, int> seen;
    for (int i = 0; std::scanf("%d", &n) == 1; i++) { mean += n; seen[n]++; }
    std::printf("%g %zu\\n", mean, seen.size());
}
"""
REFUSED: dict[str, tuple[Case, Reason, str]] = {
    "another language": (replace(CPP_SUM, language="java"), Reason.LANGUAGE, "this one is java"),
    "no C++": (replace(CPP_SUM, source="int main( {\n"), Reason.NOT_CPP, "line 1 is not understood"),
    "does not compile": (replace(CPP_SUM, source="int main() { return no; }\n"), Reason.NOT_CPP, "does not compile"),
    "a macro for a loop": (
        replace(CPP_SUM, source="#define EVER for (;;)\nint main() { EVER { } }\n"),
        Reason.NOT_CPP,
        "line 2 is not understood; perhaps a macro",
    ),
    "an overflow": (
        replace(CPP_SUM, source=CPP_TOTAL.replace("total += n", "total += n << 29")),
        Reason.UNDEFINED,
        "leaves undefined",
    ),
    "no counts": (
        replace(CPP_SUM, source=_LEAVE.replace("}\n", "    std::fflush(stdout);\n    std::_Exit(0);\n}\n")),
        Reason.NOT_MEASURED,
        "without its counts",
    ),
    "a fraction": (replace(CPP_SUM, source=_FIELDS, loop=7, fields=("mean", "i")), Reason.FIELD_UNUSABLE, "point"),
    "declared in the loop": (replace(CPP_SUM, source=_FIELDS, loop=7, fields=("i",)), Reason.FIELD_UNUSABLE, "behind"),
    "no order": (replace(CPP_SUM, source=_FIELDS, loop=7, fields=("seen",)), Reason.FIELD_UNUSABLE, "without an order"),
    "no such loop": (replace(CPP_SUM, loop=3), Reason.NO_LOOP, "loops begin in lines: 4."),
    "too few iterations": (replace(CPP_SUM, iteration=7), Reason.NOT_REACHED, "never ends behind iteration 7"),
    "nothing to propose fields from": (
        replace(CPP_SUM, iteration=7, fields=None),
        Reason.NOT_REACHED,
        "fewer than 7 iterations",
    ),
    "writes at its end": (
        replace(
            CPP_SUM,
            source=CPP_TOTAL.replace("int main", 'struct End { ~End() { std::puts("end"); } } end;\nint main'),
            loop=5,
        ),
        Reason.NOT_TERMINATED,
        "goes on",
    ),
    "knows its lines": (
        replace(CPP_SUM, source=CPP_TOTAL.replace("total);", "total + __LINE__);")),
        Reason.OUTPUT_CHANGED,
        "writes something else",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_each_reason_that_is_the_languages_own_has_a_program(bench: Bench, name: str) -> None:
    case, reason, said = REFUSED[name]
    verdict = build_case(case, OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is reason, verdict
    assert said in verdict.refusal.detail and verdict.refusal.detail.endswith("."), verdict.refusal
    assert verdict.tasks == () and "\n" not in verdict.refusal.detail


def test_what_cpp_needs_and_is_not_there_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cpp_subject, "compiler_arguments", lambda: None)
        verdict = build_case(CPP_SUM, OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.LANGUAGE
    assert verdict.refusal.detail == "C++ programs need a compiler, and neither g++ nor clang++ is installed."
    monkeypatch.setitem(sys.modules, "tree_sitter_cpp", None)
    verdict = build_case(CPP_SUM, OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.LANGUAGE
    assert "pip install 'auditor[cpp]'" in verdict.refusal.detail


@pytest.mark.parametrize(
    ("body", "complexity", "depth"),
    [
        ("int f() { return 1; }", 1, 1),
        ("int f(int a, int b) { return a > 0 && b > 0 || a < -5 ? 1 : 2; }", 4, 1),
        ("int f(int a) { switch (a) { case 1: return 2; case 2: case 3: return 4; default: return 0; } }", 4, 2),
        ("int f(int a) { if (a and not (a or 1)) { while (a) a--; } else if (a) do { } while (a); return a; }", 7, 3),
        ("void f(int&& a) { for (auto&& x : v) { } try { } catch (...) { } auto g = [&] { if (a) return; }; }", 4, 3),
        ("int f(int a) { for (;;) if (a) return a; }\nstruct S { int g(int a) { return a ? 1 : 2; } };", 4, 3),
        ("template <class T> T f(T a) { return a; }\n#if LOCAL && \\\n  OTHER\n#endif\n// if && while", 1, 1),
        ("int a = 1 > 2 ? 3 : 4;\nauto f = [](int x, int y = a ? 1 : 2) { if (x || y) return 1; return 2; };", 5, 2),
        (
            "struct S { int x, y = 1 ? 2 : 3; S(int a) : x(a && 1) { if (a) x = 2; } };\nint f() try { } catch (A) { }",
            5,
            3,
        ),
        (
            "template <class T> requires (sizeof(T) > 1 && true) T f(T&& a) { if constexpr (1) return a; return a; }",
            2,
            2,
        ),
    ],
)
def test_complexity_is_one_more_than_all_decisions(body: str, complexity: int, depth: int) -> None:
    assert (cyclomatic_cpp(body), nesting_cpp(Tree(body))) == (complexity, depth)


def test_without_the_analyser_complexity_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lizard", None)
    subject = cpp_subject.CppSubject(CPP_SUM)
    assert subject.static_measures(CPP_TOTAL) == {"nesting": 2}


def test_the_sample_programs_are_cases_of_several_topics_and_are_all_understood() -> None:
    cases, refused = read_cases(SAMPLES)
    assert refused == [] and len(cases) >= 6 and len({case.facets["topic"] for case in cases}) >= 5
    assert {case.language for case in cases} == {"cpp"}
    for case in cases:
        cpp_subject.CppSubject(case)
        tree = Tree(case.source)
        assert cyclomatic_cpp(case.source) == 1 + sum(map(_is_decision, tree.walk()))
