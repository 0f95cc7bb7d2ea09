"""Building problems: which implementations are admitted, what the tests that are kept cover, and the tasks."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import coverage
import pytest

from auditor.execution.sandbox import Sandbox
from auditor.studies.core.building import Bench, BuildOptions, build_problem, covered_by, open_bench
from auditor.studies.core.built import Built
from auditor.studies.core.covering import NotMeasuredError, reached_by, reached_by_all
from auditor.studies.core.problem import style_of
from auditor.studies.core.problem_files import read_problems
from auditor.studies.core.prompts import Prompting
from auditor.studies.core.tokens import jaccard, unique_tokens
from tests.studies.core.problems import BAD, FUNCTIONAL, LOOPS, RECURSIVE, write_problem
from tests.walls import need_wall

SAMPLES = Path(__file__).resolve().parents[3] / "sample_runs"


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    need_wall()
    opened = open_bench(BuildOptions())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def built(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A problem with three good implementations, and one for each reason of refusal."""
    bad = {name: source for name, (_, source) in BAD.items()}
    good = {"a_loops": LOOPS, "recursive": RECURSIVE, "functional": FUNCTIONAL}
    styles = '[styles]\na-loops = "loops"\n'
    folder = write_problem(tmp_path_factory.mktemp("problems") / "sum_of_squares", {**good, **bad}, about=styles)
    (problem,), unreadable = read_problems([folder])
    assert not unreadable
    return build_problem(problem, BuildOptions(whole_prompt=Prompting.DIRECT), bench)


def test_every_reason_of_refusal_is_told_with_its_implementation(built: Built) -> None:
    told = {one.implementation: one.reason.value for one in built.refusals}
    assert told == {name: reason for name, (reason, _) in BAD.items()}
    details = {one.implementation: one.detail for one in built.refusals}
    assert details["other"] == "with test t05 it gives 5, and most implementations give 6."
    assert details["short"] == "its cyclomatic complexity is 1, below 3."
    assert details["copied"].startswith("its tokens are those of a-loops to 0.9")
    assert details["failing"].startswith("with test t02 it ended with ZeroDivisionError in line 7")


def test_the_tasks_are_those_of_the_admitted_implementations(built: Built) -> None:
    outputs = [task for task in built.tasks if task.target == "output"]
    assert {task.implementation for task in outputs} == {"a-loops", "recursive", "functional"}
    assert {task.facets["style"] for task in outputs} == {"loops", "recursive", "functional"}
    by_test = {(task.test, task.oracle) for task in outputs}
    assert ("t05", "6") in by_test and len(by_test) == built.sizes.chosen
    first = outputs[0]
    assert first.case == "sum-of-squares/a-loops/t05" and first.input == "[1, 0, -4, 2]"
    assert first.extra["entry_point"] == "total" and first.measures["cyclomatic"] == 4
    assert first.prompt is not None and "What does `total([1, 0, -4, 2])` return?" in str(first.prompt["user"])
    probes = [task for task in built.tasks if task.target == "probe"]
    assert [task.arm for task in probes] == [f"probe/p{number}" for number in range(1, len(probes) + 1)]
    depths = [task.measures["depth"] for task in probes]
    assert depths == sorted(depths, reverse=True) and len(probes) == built.sizes.probes == 5


def test_more_tests_are_kept_where_they_are_asked_for(bench: Bench, tmp_path: Path) -> None:
    (problem,), _ = read_problems([write_problem(tmp_path / "two", {"loops": LOOPS, "recursive": RECURSIVE})])
    done = build_problem(problem, BuildOptions(probes=0, at_least=3), bench)
    assert (done.sizes.tests, done.sizes.least, done.sizes.chosen, done.sizes.exact) == (6, 1, 3, True)
    assert {task.test for task in done.tasks} == {"t04", "t05", "t06"}
    assert (done.sizes.lines, done.sizes.branches) == (done.sizes.all_lines, done.sizes.all_branches) == (13, 8)


def test_a_run_that_does_not_end_in_order_is_not_measured(bench: Bench) -> None:
    leaving = "def f(x):\n    import os\n    os._exit(0)\n"
    with pytest.raises(NotMeasuredError, match="without Python's usual end"):
        reached_by(bench.boxes[0], leaving, ["f(1)"], bench.coverage)
    source = "def f(x):\n    print('noise')\n    return 1 if x else 2\n"
    both = reached_by_all(bench.boxes[0], {"a": source, "b": leaving}, ["f(1)", "f(0)"], bench.coverage)
    assert isinstance(both["b"], NotMeasuredError)
    reached = both["a"]
    assert isinstance(reached, list)
    assert [one.lines for one in reached] == [frozenset({1, 2, 3})] * 2
    assert covered_by({"a": reached}, 0) == {("a", 1), ("a", 2), ("a", 3)}


def test_on_every_problem_of_the_sample_the_kept_tests_cover_what_all_cover() -> None:
    """Measured once more, by coverage.py in this process and from the files as they stand."""
    kept: dict[str, set[str]] = {}
    for line in (SAMPLES / "core" / "tasks.jsonl").read_text().splitlines():
        task = json.loads(line)
        kept.setdefault(task["problem"], set()).add(task["input"])
    problems, _ = read_problems([SAMPLES / "core_problems" / name.replace("-", "_") for name in kept])
    assert len(problems) == 12
    for problem in problems:
        every = [problem.call(test) for test in problem.tests]
        chosen = [problem.call(test) for test in problem.tests if test.arguments in kept[problem.name]]
        assert len(chosen) < len(every)
        for one in problem.implementations:
            assert measured(one.source, chosen) == measured(one.source, every), f"{problem.name}/{one.name}"


def measured(source: str, calls: list[str]) -> set[object]:
    code = compile(source, "/implementation-under-test.py", "exec")
    own = coverage.Coverage(data_file=None, branch=True, include=["/implementation-under-test.py"], config_file=False)
    own.start()
    try:
        with redirect_stdout(io.StringIO()):
            for call in calls:
                space: dict[str, object] = {"__name__": "implementation"}
                exec(code, space)
                eval(call, space)
    finally:
        own.stop()
    data = own.get_data()
    return {arc for file in data.measured_files() for arc in data.arcs(file) or ()}


def test_tokens_are_those_of_the_tokenizer_without_layout() -> None:
    assert unique_tokens("x = x + 1  # more\n") == {"x", "=", "+", "1"}
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 2 / 4
    assert jaccard(frozenset(), frozenset()) == 1
    with pytest.raises(SyntaxError):
        unique_tokens("(")
    assert [style_of(name) for name in ("loops", "loops-2", "table-driven", "a2")] == [
        "loops",
        "loops",
        "table-driven",
        "a",
    ]


def test_a_problem_with_one_implementation_is_refused(bench: Bench, tmp_path: Path) -> None:
    (problem,), _ = read_problems([write_problem(tmp_path / "alone", {"loops": LOOPS})])
    done = build_problem(problem, BuildOptions(), bench)
    assert not done.admitted and [one.reason.value for one in done.refusals] == ["too_few"]
    assert done.refusals[0].detail == "1 of its implementations passes; two are needed to compare."


def test_where_no_output_is_that_of_most_nobody_is_taken_to_be_right(bench: Bench, tmp_path: Path) -> None:
    (problem,), _ = read_problems([write_problem(tmp_path / "two", {"loops": LOOPS, "other": BAD["other"][1]})])
    done = build_problem(problem, BuildOptions(), bench)
    told = {one.implementation: one.detail for one in done.refusals if one.reason.value == "disagrees"}
    end = "no output is that of most, and the test says none."
    assert told["loops"] == f"with test t05 it gives 6, and others 5; {end}"
    assert told["other"] == f"with test t05 it gives 5, and others 6; {end}"


def test_sets_are_values_in_any_order_and_a_large_value_is_called_large(bench: Bench, tmp_path: Path) -> None:
    sources = {
        "loops": "def total(values):\n    found = set()\n    for one in values:\n        if one > 0 or one < -1:\n"
        "            found.add('abcdef'[one])\n    return found\n",
        "recursive": "def total(left):\n    if not left:\n        return set()\n    head, *tail = left\n"
        "    return ({'abcdef'[head]} if head >= 1 else {'abcdef'[head]} if head < -1 else set()) | total(tail)\n",
        "vast": "def total(values):\n    return 'x' * 20_000_000 if values else set() if values == [] else 0\n",
    }
    (problem,), _ = read_problems([write_problem(tmp_path / "sets", sources, ("[]", "[1, 2, 3, 4, 5]"))])
    done = build_problem(problem, BuildOptions(probes=0), bench)
    assert [one.implementation for one in done.refusals] == ["vast"], done.refusals
    assert done.refusals[0].detail == "with test t02 it gives a value that is too large."
    assert {one.implementation for one in done.tasks} == {"loops", "recursive"}


def test_a_file_that_is_no_text_is_told_by_its_name(tmp_path: Path) -> None:
    folder = write_problem(tmp_path / "bytes", {"loops": LOOPS})
    (folder / "tests.jsonl").write_bytes(b'{"input": "\xff"}')
    problems, refused = read_problems([folder])
    assert not problems and refused[0].reason == "byte 12 of tests.jsonl is not UTF-8."


@pytest.mark.parametrize("value", ["nan", "-inf", "2020-01-01", "[1, 2]"])
def test_what_cannot_be_a_facet_is_refused_by_its_name(tmp_path: Path, value: str) -> None:
    problems, refused = read_problems([write_problem(tmp_path / "odd", {"loops": LOOPS}, about=f"level = {value}\n")])
    assert not problems and refused[0].reason.startswith("in problem.toml, level is neither text nor a finite number")


def test_the_sandboxes_differ_in_the_seed_of_hashes(bench: Bench) -> None:
    assert len(bench.boxes) == 2 and all(isinstance(box, Sandbox) for box in bench.boxes)
    texts = {box.evaluate(b"", "hash('a') % 1000").text for box in bench.boxes}
    assert len(texts) == 2
