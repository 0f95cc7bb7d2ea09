"""What is admitted, with the numbers of the study's worked example; and a program for each reason to refuse a case."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.execution.program import Program
from auditor.studies.exact_output import python_subject
from auditor.studies.exact_output.building import BuildOptions, build_all, build_case
from auditor.studies.exact_output.case import ARMS, INSIDE, LONG, POST, SHORT, Case, Offer, Point, Reason
from auditor.studies.exact_output.checking import Bench
from auditor.studies.exact_output.executors import local_processes
from auditor.studies.exact_output.propose import BUDGET
from tests.studies.exact_output.programs import NAND, SUM, TOTAL, WORKED

OPTIONS = BuildOptions("s")


def test_the_worked_example_is_admitted_with_the_numbers_of_the_study(bench: Bench) -> None:
    verdict = build_case(WORKED, OPTIONS, bench)
    assert verdict.refusal is None
    assert verdict.point == Point(5, 502, ("ans", "cnt1", "dp1"))
    tasks = {task.arm: task for task in verdict.tasks}
    assert list(tasks) == list(ARMS)
    assert {arm: task.oracle for arm, task in tasks.items()} == {
        SHORT: "9\n",
        LONG: "251502\n",
        INSIDE: '{"ans":63250,"cnt1":500,"dp1":500}\n',
        POST: '{"ans":251502,"cnt1":2,"dp1":2}\n',
    }
    assert {task.clean_source for task in verdict.tasks} == {NAND}
    assert tasks[SHORT].source == tasks[LONG].source == NAND
    assert [tasks[arm].target for arm in ARMS] == ["output", "output", "state", "state"]
    inside, post = tasks[INSIDE].checkpoint, tasks[POST].checkpoint
    assert inside is not None and post is not None
    assert (inside.when, inside.iteration, inside.clean_line) == ("before-iteration", 502, 5)
    assert (post.when, post.iteration, post.fields) == ("after-loop", 1002, ("ans", "cnt1", "dp1"))
    for arm, point in ((INSIDE, inside), (POST, post)):
        assert "json.dumps" in tasks[arm].source.splitlines()[point.line - 1]


def test_measures_and_facets_are_those_of_each_task(bench: Bench) -> None:
    verdict = build_case(replace(WORKED, facets={"topic": "strings"}), OPTIONS, bench)
    tasks = {task.arm: task for task in verdict.tasks}
    assert tasks[LONG].measures["answer_length"] == 6 and tasks[LONG].measures["nesting"] == 2
    assert [tasks[arm].measures["cyclomatic"] for arm in ARMS] == [3, 3, 4, 4]
    lengths = [tasks[arm].measures["trace_length"] for arm in ARMS]
    assert lengths[0] < lengths[2] < lengths[1] < lengths[3]
    assert tasks[LONG].measures["state_load"] > tasks[LONG].measures["peak_state"] >= 8
    assert dict(tasks[SHORT].facets) == {"loc": 14, "topic": "strings", "branches_preserved": True}


def test_prompts_show_source_and_input_literally(bench: Bench) -> None:
    (task, *_) = build_case(SUM, OPTIONS, bench).tasks
    assert task.prompt == {
        "system": "Given the program and input below, determine the exact output.\n\n<program>\n"
        f"{TOTAL}\n</program>\n\n<input>\n1 2\n\n</input>\n\n"
        'Respond in this format:\n{"output":"<exact text>"}',
        "user": "Return the requested prediction.",
    }


def test_other_branches_with_the_long_input_are_noticed(bench: Bench) -> None:
    source = TOTAL.replace("    total += int(word)", "    total += int(word)\n    if total > 9:\n        total -= 1")
    (task, *_) = build_case(replace(SUM, source=source), OPTIONS, bench).tasks
    assert task.facets["branches_preserved"] is False


def test_what_is_not_given_is_proposed(bench: Bench) -> None:
    source = f"# a loop that counts, and one that prints\n{TOTAL}for digit in '1234567':\n    print(digit)\n"
    verdict = build_case(replace(SUM, source=source), OPTIONS, bench)
    assert verdict.point == Point(3, 4, ("total", "word"))


def test_a_run_longer_than_its_trace_has_proposals_from_around_the_checkpoints(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_subject, "BUDGET", replace(BUDGET, steps=6_000))
    source = "total = 0\nfor number in range(int(input())):\n    total += number % 7\nprint(total)\n"
    verdict = build_case(Case("long", source, "5\n", "4000\n"), OPTIONS, bench)
    assert verdict.refusal is None and verdict.point is not None
    # The trace keeps 6,000 of 8,003 steps, so the iterations are counted in a run of its own.
    assert verdict.point.fields == ("number", "total") and verdict.point.iteration == 2_001
    post = verdict.tasks[3]
    assert post.checkpoint is not None and post.checkpoint.iteration == 4_000
    assert post.oracle == f'{{"number":3999,"total":{sum(n % 7 for n in range(4_000))}}}\n'
    assert "branches_preserved" not in post.facets


def test_a_loop_in_a_function_that_is_called_often_counts_over_the_whole_run(bench: Bench) -> None:
    source = (
        "def add(words):\n    'Doc.'\n    total = 0\n    for word in words:\n        total += int(word)\n"
        "    return total\n"
        "print(sum(add(input().split()) for _ in range(3)))\n"
    )
    case = Case("f", source, "1\n1\n1\n", "1 2\n3 4\n5 6\n", iteration=4, fields=("total",))
    verdict = build_case(case, OPTIONS, bench)
    assert verdict.refusal is None
    tasks = {task.arm: task for task in verdict.tasks}
    assert tasks[INSIDE].oracle == '{"total":3}\n' and tasks[POST].oracle == '{"total":7}\n'


def test_oracles_are_what_the_tasks_own_source_writes(bench: Bench) -> None:
    for task in build_case(SUM, OPTIONS, bench).tasks:
        done = bench.sandbox.run(Program.python(task.source, fresh=True), stdin=task.input.encode())
        assert done.stdout.decode() == task.oracle


OF_CPP = (Reason.NOT_CPP, Reason.UNDEFINED)
"""Theirs are in test_cpp_building.py."""
SPEND = "import sys\n" + TOTAL
PRINTS = TOTAL.replace("    total += int(word)", "    total += int(word)\n    print(word)")
REFUSED: dict[Reason, Case] = {
    Reason.LANGUAGE: replace(SUM, language="java"),
    Reason.NOT_PYTHON: replace(SUM, source="print(\n"),
    Reason.INPUTS: replace(SUM, offer=Offer(("1 2", "1  2", "1 two"))),
    Reason.RUN_FAILED: replace(SUM, short="one\n"),
    Reason.NOT_TEXT: replace(SUM, source=SPEND + "sys.stdout.flush()\nsys.stdout.buffer.write(b'\\xff')\n"),
    Reason.NO_OUTPUT: replace(SUM, source=TOTAL.replace("print(total)", "print()")),
    Reason.NOT_DETERMINISTIC: replace(SUM, source=TOTAL + "import os\nprint(os.urandom(8).hex())\n"),
    Reason.NOT_MEASURED: replace(SUM, source=SPEND + "sys.settrace(None)\nfor _ in '12': pass\n"),
    Reason.OTHER_OUTPUT: replace(SUM, expected=("3", "20")),
    Reason.TRACE_RANGE: replace(SUM, trace_range=(10, 20)),
    Reason.TRACE_ORDER: replace(SUM, short=SUM.long, long=SUM.short),
    Reason.NO_LOOP: replace(SUM, source="print(sum(int(word) for word in input().split()))\n"),
    Reason.NO_FIELDS: replace(
        SUM, source="seen = set()\nfor word in input().split():\n    seen.add(word)\nprint(len(seen))\n"
    ),
    Reason.NOT_REACHED: replace(SUM, iteration=7, fields=("total",)),
    Reason.FIELD_UNUSABLE: replace(SUM, fields=("amount",)),
    Reason.OUTPUT_BEFORE_CHECKPOINT: replace(SUM, source=PRINTS, fields=("total",)),
    Reason.NOT_TERMINATED: replace(
        SUM,
        source="total = 0\ntry:\n    for word in input().split():\n        total += int(word)\nexcept BaseException:\n"
        "    pass\nprint(total)\n",
    ),
    Reason.STATE_NOT_JSON: replace(
        SUM, source=TOTAL.replace("total = 0", "total = float('nan')"), fields=("total", "word")
    ),
    Reason.FIELDS_DIFFER: replace(
        SUM,
        source="import json\ndumps = json.dumps\njson.dumps = lambda value, **how: dumps({**value, 'more': 1}, **how)\n"
        + TOTAL,
    ),
    Reason.TYPES_DIFFER: replace(
        SUM,
        source=TOTAL.replace(
            "    total += int(word)", "    total += int(word)\n    kind = 'last' if word == '6' else 0"
        ),
        iteration=4,
        fields=("total", "kind"),
    ),
    Reason.NO_CORE_CHANGE: replace(SUM, source="same = 7\n" + TOTAL, fields=("same", "word")),
    Reason.OUTPUT_CHANGED: replace(SUM, source=TOTAL + "print(len(globals()))\n"),
}


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason not in OF_CPP])
def test_each_reason_has_a_program_that_is_refused_for_it(bench: Bench, reason: Reason) -> None:
    verdict = build_case(REFUSED[reason], OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is reason, verdict
    assert verdict.tasks == () and not verdict.admitted
    assert verdict.refusal.detail.endswith(".") and "\n" not in verdict.refusal.detail


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (replace(SUM, iteration=7), Reason.NOT_REACHED),
        (
            replace(SUM, source=PRINTS.replace("print(word)", "print(word, end=' {')"), fields=("total",)),
            Reason.OUTPUT_BEFORE_CHECKPOINT,
        ),
    ],
    ids=["nothing to propose fields from", "a state behind a line that has no end"],
)
def test_a_reason_is_the_one_that_holds(bench: Bench, case: Case, reason: Reason) -> None:
    verdict = build_case(case, OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is reason, verdict


def test_an_output_that_depends_on_the_hash_seed_is_refused(bench: Bench) -> None:
    source = TOTAL + "print(*{'one', 'two', 'three', 'four', 'five', 'six'})\n"
    verdict = build_case(replace(SUM, source=source), OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.NOT_DETERMINISTIC
    assert "seed" in verdict.refusal.detail


@pytest.mark.parametrize(
    ("loop", "said"), [(9, "no loop begins in line 9"), ("for x in y:", "no loop begins with the")]
)
def test_a_loop_that_is_not_there_is_named_with_those_that_are(bench: Bench, loop: int | str, said: str) -> None:
    verdict = build_case(replace(SUM, loop=loop), OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.NO_LOOP
    assert said in verdict.refusal.detail and verdict.refusal.detail.endswith("loops begin in lines: 2.")


def test_lines_that_end_in_carriage_returns_alone_are_refused(bench: Bench) -> None:
    verdict = build_case(replace(SUM, source=SUM.source.replace("\n", "\r")), OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.NOT_PYTHON
    assert "line feeds" in verdict.refusal.detail


def test_a_program_too_deep_for_its_tree_is_refused_alone(bench: Bench) -> None:
    chain = "".join(f"elif total == {number}:\n    total = 0\n" for number in range(900))
    verdict = build_case(replace(SUM, source=f"{TOTAL}if total < 0:\n    pass\n{chain}"), OPTIONS, bench)
    assert verdict.refusal is not None and verdict.refusal.reason is Reason.NOT_PYTHON
    assert "nested too deep" in verdict.refusal.detail


def test_an_executor_gives_the_verdicts_of_a_build_without_one() -> None:
    cases = [replace(SUM, loop=2, iteration=4, fields=("total",)), REFUSED[Reason.NOT_PYTHON]]
    with ThreadPoolExecutor(1) as executor:
        found = list(build_all(cases, OPTIONS, executor))
    assert sorted(map(repr, found)) == sorted(map(repr, build_all(cases, OPTIONS)))


def test_processes_build_cases_side_by_side_and_end_when_told_to() -> None:
    with local_processes(2) as pool:
        found = list(build_all([SUM, replace(SUM, name="other")], OPTIONS, pool))
    assert [verdict.admitted for verdict in found] == [True, True]
    assert json.loads(str(found[0].tasks[2].oracle)).keys() == {"total", "word"}


def test_the_page_names_every_reason() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "building.md").read_text(encoding="utf-8")
    assert [reason for reason in Reason if f"| `{reason}` |" not in page] == []
