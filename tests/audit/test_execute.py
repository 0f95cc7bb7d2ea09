"""Executing a file: tasks agree with their oracles or dispute them, predictions are judged by what they give."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.execute import Bench, Executing, run_tasks
from auditor.audit.grade import GradeReport, grade_file
from auditor.audit.inspect import info, verify
from auditor.audit.kept_evidence import finding_basis
from auditor.audit.load import LoadOptions, load
from auditor.audit.tabulate import accuracy
from auditor.execution.engines import NO_COMPILER, engine_of
from auditor.execution.protection import RefusedError, protection_by
from auditor.execution.workers import Workers
from auditor.model import Finding, Grade
from auditor.store.executions import KeptFindings, executed_tasks, findings_bases, put_findings, task_execution
from auditor.store.file import open_file, open_for_reading, transaction
from auditor.store.grades import GRADE_COLUMNS, grade_from_row
from auditor.store.selection import matching_responses
from auditor.store.tasks import load_task
from tests.runs import response, task, write_run

pytestmark = pytest.mark.skipif(
    not any(protection_by(wall).complete for wall in ("bubblewrap", "namespaces")),
    reason="untrusted programs cannot be contained here",
)
LITERALS = 'policy = "python-literal"\nenvelope = "none"'
FUNCTION = "def f(a, b=1):\n    return [a] * b\n"
ONE = Executing(workers=1)


def made(
    tmp_path: Path, tasks: Sequence[Mapping[str, Any]], replies: Sequence[Mapping[str, Any]], lines: str = ""
) -> Path:
    file = tmp_path / "a.db"
    load(file, [write_run(tmp_path / "run", tasks, replies, studies={"s": lines})], LoadOptions())
    return file


def grades(file: Path) -> list[Grade | None]:
    with closing(open_for_reading(file)) as connection:
        sql = f"SELECT {GRADE_COLUMNS} FROM responses r LEFT JOIN grades d ON d.response_id = r.id ORDER BY r.id"
        return [grade_from_row(row) for row in connection.execute(sql)]


def grade_of(file: Path, response_id: int) -> Grade:
    grade = grades(file)[response_id - 1]
    assert grade is not None
    return grade


def rates_note(file: Path) -> str | None:
    with closing(open_for_reading(file)) as connection:
        return accuracy(connection, replicates=2).note


def ran(report: GradeReport) -> int:
    assert report.execution is not None
    return report.execution.ran


def replied(*texts: str, arm: str = "output") -> list[Mapping[str, Any]]:
    return [response(arm=arm, response=text, sample=sample) for sample, text in enumerate(texts)]


# --- tasks ---------------------------------------------------------------------------------------------------------


def test_a_task_agrees_disputes_its_oracle_or_comes_to_no_output(tmp_path: Path) -> None:
    programs = [
        task("right", source="print(int(input()) * 2)", input="4\n", oracle="8"),
        task("other", source="print(3, 4)", oracle="3 5\n"),
        task("breaks", source="print(1 // 0)", oracle="0\n"),
        task("breaks late", source="print(7)\nraise SystemExit(3)", oracle="7\n"),
        task("state", "state", source='print("{\\"a\\": 1}")', oracle='{"a":1}', target="state"),
        task("probe", "probe/1", target="probe", oracle=3),
        task("other language", language="perl"),
    ]
    file = made(tmp_path, programs, [response("other", response="3 5")])
    report = grade_file(file, execute=ONE).execution
    assert report is not None
    assert report.tasks == {"agrees": 3, "disputed": 1, "failed": 1} and report.failures == {"exception": 1}
    assert report.not_run == {"a probe is not what a program writes": 1, "perl does not run here": 1}
    assert report.disputed == ["s/other/output"]
    assert report.failed[0][0] == "s/breaks/output" and "ZeroDivisionError in line 1" in report.failed[0][1]
    assert report.engines["python"].startswith("CPython 3.") and "behind a wall" in report.protection
    assert info(file).executed == {"agrees": 3, "disputed": 1, "failed": 1}
    assert all(not check.problems for check in verify(file))


def test_what_depends_on_hashes_time_or_chance_disputes_no_oracle(tmp_path: Path) -> None:
    programs = [
        task("hashes", source="print(*{'ab', 'cd', 'ef', 'gh', 'ij', 'kl'})", oracle="none of them"),
        task("chance", source="import random\nprint(random.random())", oracle="0.5"),
        task("time", source="import time\ndef f():\n    return time.time_ns()", input="", oracle="1"),
        task("same", source="print(sorted({'ab', 'cd'}))", oracle="['cd', 'ab']"),
        task("right", source="print({'ab', 'cd'} and 3)", oracle="3"),
    ]
    file = made(tmp_path, programs, [response("same", response="?")])
    report = grade_file(file, execute=ONE).execution
    assert report is not None
    assert report.tasks == {"agrees": 1, "disputed": 1, "failed": 3} and report.failures == {"varies": 3}
    assert report.disputed == ["s/same/output"]
    assert {words for _, words in report.failed} == {"gives something else when it is run again"}
    assert all(not check.problems for check in verify(file))
    again = grade_file(file, execute=ONE).execution
    assert again is not None and again.ran == 0 and again.tasks == report.tasks


def test_a_disputed_oracle_is_said_first_and_changes_no_verdict(tmp_path: Path) -> None:
    replies = [response(response="3 5"), response(setting="n", response="3 4"), response(setting="o", response=None)]
    file = made(tmp_path, [task(source="print(3, 4)", oracle="3 5\n")], replies)
    before = grade_file(file)
    after = grade_file(file, execute=ONE)
    assert after.statuses == before.statuses == {"correct-valid": 1, "wrong-valid": 1, "no-response": 1}
    assert after.modes == {"oracle_disputed": 2, "no_response": 1}
    grade = grade_of(file, 1)
    assert grade.finding.mode == "oracle_disputed" and grade.others[0].mode == "correct"
    assert "the program gives `3 4␊`; the oracle has `3 5␊`" in grade.finding.evidence
    assert grade.finding.detail is None
    assert grade_of(file, 2).finding.detail == "as predicted" and grade_of(file, 2).status.value == "wrong-valid"
    assert grade_file(file).modes["oracle_disputed"] == 2, "what is kept counts without running anything"


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({"source": FUNCTION, "input": "2, b=3", "oracle": "[2, 2, 2]"}, "agrees"),
        ({"source": FUNCTION, "input": "f(2, 3)", "oracle": "[2, 2, 2]"}, "agrees"),
        ({"source": FUNCTION, "input": "True", "oracle": "[1]"}, "disputed"),
        ({"source": "s = 'a' * 2\ndef g(n):\n    return s * n", "input": "2", "oracle": "'aaaa'"}, "agrees"),
        ({"source": "def g(): return 1\ndef h(): return 2", "entry_point": "h", "input": "", "oracle": "2"}, "agrees"),
        ({"source": "def f(): return float('inf')", "input": "", "oracle": "inf"}, "agrees"),
        ({"source": "class A: pass\ndef f(): return A()", "input": "", "oracle": "1"}, "failed"),
        ({"source": "def f(): raise KeyError(1)", "input": "", "oracle": "1"}, "failed"),
        ({"source": FUNCTION, "target": "input", "input": "", "reference_input": "1", "oracle": "[1]"}, "agrees"),
    ],
)
def test_a_function_is_called_with_its_input(tmp_path: Path, more: dict[str, Any], verdict: str) -> None:
    file = made(tmp_path, [task(**more)], replied("x"), LITERALS)
    assert grade_file(file, execute=ONE).execution.tasks == {verdict: 1}  # type: ignore[union-attr]  # it was executed


def test_an_input_that_is_no_argument_is_not_run_as_one(tmp_path: Path) -> None:
    file = made(tmp_path, [task(source=FUNCTION, input="1 2 3\n", oracle="")], replied("x"))
    report = grade_file(file, execute=ONE).execution
    assert report is not None and report.not_run == {"the input is not the arguments of a call of f": 1}


# --- predictions ---------------------------------------------------------------------------------------------------


def test_predicted_calls_are_judged_by_what_they_give(tmp_path: Path) -> None:
    calls = ["f(2, 2)", "f(*[2, 2])", "f(2)", "f(2, '')", "g(2)", "[2, 2]", "f(2, 2) or 1", "no idea", " "]
    inputs = task(arm="input", source=FUNCTION, target="input", oracle="[2, 2]", reference_input="2, 2")
    file = made(tmp_path, [inputs], replied(*calls, arm="input"), LITERALS)
    assert grade_file(file).graded == 1, "without execution only the blank reply"
    assert rates_note(file) == (
        "8 predicted calls have no grade before they are run. `auditor grade FILE --execute` runs them."
    )
    report = grade_file(file, execute=ONE)
    assert rates_note(file) is None
    assert report.calls == {"correct": 2, "wrong": 1, "no value": 1, "no call": 5} and not report.ungraded
    assert [grade.status.value for grade in grades(file) if grade][:4] == ["correct-valid"] * 2 + ["wrong-valid"] * 2
    assert grade_of(file, 3).finding.evidence == (
        "The predicted call gives `[2]`, the oracle has `[2, 2]` (other values)."
    )
    assert "ended with TypeError" in grade_of(file, 4).finding.evidence
    assert grade_of(file, 5).finding.evidence == "The prediction is no call of f."


def test_answers_that_are_expressions_are_judged_by_their_value_alone(tmp_path: Path) -> None:
    texts = ["'a' * 3", "f('a')", "('aaa')", "'a' * 2", "because", "it was 'aaa'", "__import__('os').getcwd()"]
    outputs = task(source="def f(s):\n    return s * 3\n", input="'a'", oracle="'aaa'")
    file = made(tmp_path, [outputs], replied(*texts), LITERALS)
    assert grade_file(file).statuses == {"correct-valid": 1, "wrong-valid": 6}
    assert (rates_note(file) or "").startswith("6 answers are no literals and count as wrong until evaluated. `auditor")
    report = grade_file(file, execute=ONE)
    assert report.settled == {"correct": 1, "wrong": 2, "no value": 2, "no expression": 1}
    assert report.statuses == {"correct-valid": 2, "wrong-valid": 5} and len(report.non_literal) == 6
    assert rates_note(file) is None
    assert grade_of(file, 1).finding == Finding(
        "correct", "Evaluated, the prediction gives `'aaa'`: equal values.", detail="evaluated"
    )
    assert "NameError" in grade_of(file, 2).finding.evidence, "the program is not there to be asked"
    assert grade_of(file, 4).finding.mode == "one_element"
    assert "nor is it an expression" in grade_of(file, 6).finding.evidence
    assert "`'/box'`" in grade_of(file, 7).finding.evidence, "in the sandbox, not here"


def test_logged_verdicts_are_compared_with_what_execution_says(tmp_path: Path) -> None:
    replies = [
        response(response="1 + 1", logged_correct=True),
        response(setting="n", response="1 + 1", logged_correct=False),
    ]
    file = made(tmp_path, [task(oracle="2")], replies, LITERALS)
    assert grade_file(file).logged_non_literal == 2
    report = grade_file(file, execute=ONE)
    assert (report.logged, report.logged_non_literal, report.logged_differs) == (2, 0, [2])


# --- again and interrupted -----------------------------------------------------------------------------------------


def test_only_what_has_changed_is_run_again(tmp_path: Path) -> None:
    file = made(tmp_path, [task("c1"), task("c2")], [response("c1")])
    assert ran(grade_file(file, execute=ONE)) == 2
    assert ran(grade_file(file, execute=ONE)) == 0
    load(file, [write_run(tmp_path / "b", [task("c2", source="print('c3')")])], LoadOptions(replace=True))
    report = grade_file(file, execute=ONE)
    assert ran(report) == 4 and report.execution and report.execution.tasks == {"agrees": 1, "disputed": 1}
    with closing(open_file(file)) as connection, transaction(connection):
        connection.execute("UPDATE executions SET engine = 'CPython 2.7' WHERE output = 'c1\n'")
    assert ran(grade_file(file, execute=ONE)) == 1


def test_an_interrupted_execution_keeps_whole_batches_and_goes_on(tmp_path: Path) -> None:
    file = made(tmp_path, [task(f"c{number}") for number in range(60)], [response("c1")])

    def interrupt(label: str, done: int, total: int) -> None:
        assert total == 60
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grade_file(file, execute=ONE, progress=interrupt)
    assert info(file).executed == {}
    report = grade_file(file, execute=ONE)
    assert ran(report) == 10 and report.execution and report.execution.tasks == {"agrees": 60}


# --- the wall ------------------------------------------------------------------------------------------------------


def test_without_a_wall_nothing_is_run_and_nothing_changes(tmp_path: Path) -> None:
    file = made(tmp_path, [task()], [response()])
    with pytest.raises(RefusedError, match="--unsafe"):
        grade_file(file, execute=Executing(walls=()))
    assert grades(file) == [None] and info(file).executed == {}


def test_unsafe_runs_without_a_wall_and_says_what_is_in_force(tmp_path: Path) -> None:
    file = made(tmp_path, [task()], [response()])
    said: list[str] = []
    unsafe = Executing(unsafe=True, workers=1, walls=(), announce=lambda held: said.append(held.sentence))
    assert ran(grade_file(file, execute=unsafe)) == 1
    assert len(said) == 1 and said[0].startswith("Programs run without a wall")


# --- what is kept --------------------------------------------------------------------------------------------------


def test_tasks_are_filtered_by_what_running_them_gave(tmp_path: Path) -> None:
    cases = [task("c1"), task("c2", oracle="x"), task("c3", source="1/0"), task("c4", language="cstar")]
    file = made(tmp_path, cases, [response(f"c{n}") for n in range(1, 5)])
    grade_file(file, execute=ONE)
    with closing(open_for_reading(file)) as connection:
        for words, found in (("agrees", [1]), ("disputed", [2]), ("failed", [3]), ("no", [4]), ("agrees,no", [1, 4])):
            assert sorted(matching_responses(connection, f"executed:{words}", "import")) == found
        assert executed_tasks(connection) == {"agrees": 1, "disputed": 1, "failed": 1}
        kept = task_execution(connection, 2)
        assert kept is not None and (kept.verdict, kept.execution.output) == ("disputed", "c2\n")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("UPDATE task_executions SET verdict = 'agrees' WHERE verdict = 'disputed'", "does not follow from it"),
        ("UPDATE task_executions SET execution_id = 3 - execution_id", "one of something else"),
    ],
)
def test_verify_judges_executions_anew(tmp_path: Path, change: str, words: str) -> None:
    file = made(tmp_path, [task("c1"), task("c2", oracle="x")], [response("c1")])
    grade_file(file, execute=ONE)
    with closing(open_file(file)) as connection:
        connection.execute(change)
    problems = [problem for check in verify(file) for problem in check.problems]
    assert problems and all(words in problem for problem in problems)


def test_findings_of_a_step_stand_at_their_place_while_task_and_prediction_are_the_same(tmp_path: Path) -> None:
    file = made(tmp_path, [task(oracle="12\n")], [response(response="13\n"), response(setting="n", response="12\n")])
    assert grade_file(file).modes == {"off_by_one": 1, "correct": 1}
    found = Finding("sibling_arm", "A step says so.")

    def keep(basis: bytes) -> None:
        with closing(open_file(file)) as connection, transaction(connection):
            put_findings(connection, [KeptFindings(one, "step", basis, "CPython", (found,)) for one in (1, 2)])
            assert findings_bases(connection, "step") == {one: (basis, "CPython") for one in (1, 2)}

    with closing(open_for_reading(file)) as connection:
        keep(finding_basis(load_task(connection, 1), "13\n"))
    grade_file(file)
    assert grade_of(file, 1).finding == found and grade_of(file, 1).others[0].mode == "off_by_one"
    assert grade_of(file, 2).finding.mode == "correct"
    keep(b"another prediction")
    assert grade_file(file).modes == {"off_by_one": 1, "correct": 1}


def test_a_step_runs_and_reports(tmp_path: Path) -> None:
    file = made(tmp_path, [task("c1"), task("c2")], [response("c1")])
    seen: list[tuple[str, int, int]] = []
    progress: Callable[[str, int, int], None] = lambda *told: seen.append(told)  # noqa: E731
    with closing(open_for_reading(file)) as reader, closing(open_file(file)) as writer, Workers(1) as workers:
        bench = Bench(reader, writer, workers, progress=progress)
        run_tasks(bench)
    assert seen[0] == ("running programs", 0, 2) and seen[-1] == ("running programs", 2, 2)
    assert bench.report.jobs == bench.report.ran == 2 and json.dumps(bench.report.engines)


# --- real cases ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(engine_of("c++") == NO_COMPILER, reason="there is no C++ compiler here")
def test_a_program_in_cpp_is_compiled_and_run(tmp_path: Path) -> None:
    source = '#include <cstdio>\nint main() { int n; if (scanf("%d", &n)) printf("%d\\n", n * 2); }\n'
    cases = [
        task("c1", language="cpp", source=source, input="4\n", oracle="8\n"),
        task("c2", language="cpp", source="int main() { return x; }", oracle="8\n"),
    ]
    report = grade_file(made(tmp_path, cases, [response("c1")]), execute=ONE).execution
    assert report is not None and report.tasks == {"agrees": 1, "failed": 1}
    assert report.failures == {"compile_error": 1} and report.engines == {"c++": engine_of("c++")}


def test_functions_and_predicted_inputs_of_cruxeval_agree_with_its_files(shared: Path, tmp_path: Path) -> None:
    folder, number = shared / "data" / "cruxeval", 12
    cases = (folder / "cruxeval.jsonl").read_text().splitlines()[:number]
    (tmp_path / "cruxeval.jsonl").write_text("\n".join(cases))
    whole = json.loads((folder / "runs" / "gpt-4-0613+cot_temp0.2_input.json").read_text())
    ids = [json.loads(case)["id"] for case in cases]
    part = {key: {one: whole[key][one] for one in ids} for key in ("raw_generations", "raw_scored_generations")}
    (tmp_path / "gpt-4-0613+cot_temp0.2_input.json").write_text(json.dumps(part))
    file = tmp_path / "a.db"
    load(file, [tmp_path / "cruxeval.jsonl", tmp_path / "gpt-4-0613+cot_temp0.2_input.json"], LoadOptions())
    report = grade_file(file, execute=ONE)
    assert report.execution is not None and report.execution.tasks == {"agrees": 2 * number}
    assert (report.graded, report.logged, report.logged_differs) == (10 * number, 10 * number, [])
