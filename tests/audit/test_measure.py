"""Measures that are computed here: of which tasks, what is used where both are there, going on, and tables of them."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.bins import binned
from auditor.audit.inspect import verify
from auditor.audit.load import LoadOptions, load
from auditor.audit.measure import MeasureOptions, measure_file, static_measures_cpp
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.execution.cpp.tree import has_parser
from auditor.execution.engines import NO_COMPILER, engine_of
from auditor.execution.measures import measure
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from auditor.store.cells import ClusterCounts
from auditor.store.file import open_for_reading
from auditor.store.matching_tasks import matching_tasks
from auditor.store.selection import matching_responses
from tests.replayed import CORE, LONG, REPLIES, SHORT, tasks
from tests.runs import write_run

LOOP = "total = 0\nfor n in range(int(input())):\n    total += n\nprint(total)\n"

CPP = "int same(int x) { return x; }\nint main() { int x = 0; return same(x); }\n"


def task(case: str, **others: object) -> dict[str, object]:
    return {"study": "loops", "case": case, "arm": "output", "language": "python", "target": "output", **others}


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    extra = [
        task("call", source="def f(x):\n    if x:\n        return x * 2\n", input="4", oracle="8"),
        task("broken", source="while\n", input="", oracle="x\n"),
        task("cpp", source=CPP, input="", oracle="x\n", language="cpp"),
        task("given", source=LOOP, input="3\n", oracle="3\n", measures={"trace_length": 1, "nesting": 1}),
    ]
    studies = {"loops": 'policy = "json-or-tokens"\nenvelope = "output-json"'}
    run = write_run(tmp_path / "run", [*tasks(), *extra], list(REPLIES), studies=studies)
    path = tmp_path / "audit.db"
    load(path, [run], LoadOptions())
    return path


def values(path: Path, case: str, arm: str = "output") -> dict[str, object]:
    sql = (
        "SELECT m.name, m.value FROM computed_measures m JOIN tasks t ON t.id = m.task_id JOIN cases c"
        " ON c.id = t.case_id WHERE c.name = ? AND t.arm = ?"
    )
    with closing(open_for_reading(path)) as connection:
        return dict(connection.execute(sql, (case, arm)).fetchall())


def test_tasks_are_measured_once_and_what_came_with_them_is_used(
    audit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = measure_file(audit, MeasureOptions(workers=2))
    assert (report.measured, report.kept, report.endings["measured"]) == (8, 0, 6)
    assert [(one.name, one.imported) for one in report.differences] == [("trace_length", 1)]
    assert report.compared == 2
    with Sandbox() as sandbox:
        short, long = (measure(sandbox, Program.python(CORE), stdin=text.encode()) for text in (SHORT, LONG))
    one, other = (values(audit, "nand-like", f"{name}-trace-final") for name in ("short", "long"))
    assert (one["trace_length"], one["state_load"]) == (short.trace_length, short.state_load)
    assert (other["trace_length"], other["peak_state"]) == (long.trace_length, long.peak_state)
    assert (one["cyclomatic"], one["nesting"], one["answer_length"], other["answer_length"]) == (3, 2, 1, 6)
    # The long input begins with another digit, and has the same ways through the loop.
    assert one["branches_preserved"] == other["branches_preserved"] == "true"
    assert set(values(audit, "call")) == {"cyclomatic", "nesting", "answer_length", *LENGTHS}
    assert values(audit, "broken") == {"answer_length": 1}
    in_cpp = values(audit, "cpp")
    assert in_cpp.pop("answer_length") == 1
    if engine_of("c++") != NO_COMPILER and has_parser():
        assert in_cpp.pop("trace_length") == 3
    assert in_cpp == static_measures_cpp(CPP)
    with closing(open_for_reading(audit)) as connection:
        assert len(matching_responses(connection, "trace_length>100 branches_preserved:true")) == 4
        assert len(matching_responses(connection, "trace_length<100")) == 0
    again = measure_file(audit, MeasureOptions(workers=1))
    assert (again.measured, again.kept) == (0, 8)
    assert [problem for check in verify(audit) for problem in check.problems] == []
    target = audit.with_name("r.jsonl")
    assert main(["export", "responses", str(audit), "-o", str(target), "--quiet"]) == 0
    assert json.loads(target.read_text().splitlines()[0])["trace_length"] == one["trace_length"]
    assert main(["accuracy", str(audit), "--rows", "trace_length", "--cols", "", "--bins", "2", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows[-1] is None and len(rows) == 3 and all(".." in row for row in rows[:2])


def test_a_filter_chooses_tasks_with_and_without_answers(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(open_for_reading(audit)) as connection:
        everything = matching_tasks(connection)
        answered = {row for (row,) in connection.execute("SELECT DISTINCT task_id FROM responses")}
        assert answered and answered < everything
        assert matching_tasks(connection, "NOT case:call") == everything - matching_tasks(connection, "case:call")
        setting = connection.execute("SELECT name FROM settings").fetchone()[0]
        assert matching_tasks(connection, f'setting:"{setting}"') <= answered
    report = measure_file(audit, MeasureOptions(where="case:call OR case:broken", workers=1))
    assert (report.measured, report.kept) == (2, 0) and values(audit, "given") == {}
    assert main(["measure", str(audit), "--where", "case:call,broken", "--quiet"]) == 0
    assert "0 tasks measured now" in (out := capsys.readouterr().out) and "; 2 had measures already." in out
    assert main(["measure", str(audit), "--where", "case:cal"]) == 2
    assert "no tasks that the filter leaves whose texts are known" in capsys.readouterr().err


LENGTHS = ("trace_length", "peak_state", "state_load")


def test_an_interrupted_measuring_goes_on(audit: Path) -> None:
    def stop(label: str, done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_file(audit, MeasureOptions(workers=1), stop)
    report = measure_file(audit, MeasureOptions(workers=1))
    assert (report.measured, report.kept) == (5, 3)


def counts(*values: tuple[object, int]) -> list[ClusterCounts]:
    return [ClusterCounts((value,), number, 1, 2, planned, 0) for number, (value, planned) in enumerate(values)]


def test_bins_hold_whole_values_in_order_and_lose_nothing() -> None:
    given = counts(*((value, 4) for value in (9, 1, 7, 3, 5, 2.5)), (None, 3))
    found = binned(given, ["m"], 3)
    assert [found.label((value,), 0) for value in (1, 2.5, 3, 5, 7, 9, None)] == [
        ("1..2.5",),
        ("1..2.5",),
        ("3..5",),
        ("3..5",),
        ("7..9",),
        ("7..9",),
        (None,),
    ]
    assert sum(one.planned for one in found.counts) == 27
    assert binned(given, ["m"], 10).counts == given
    heavy = binned(counts((1, 100), (2, 1), (3, 1), (4, 1)), ["m"], 2)
    assert [heavy.label((value,), 0) for value in (1, 2, 4)] == [("1",), ("2..4",), ("2..4",)]
    with pytest.raises(InputError, match=r"51 values, too many for a table\. Give --bins 4"):
        binned(counts(*((value, 1) for value in range(51))), ["m"], None)


def test_tasks_that_came_with_all_measures_but_branches_are_measured(tmp_path: Path) -> None:
    given = dict.fromkeys(("cyclomatic", "nesting", "answer_length", *LENGTHS), 7)
    arms = {"short-trace-final": "2\n", "long-trace-final": "5\n"}
    pair = [task("pair", arm=arm, source=LOOP, input=text, oracle="x\n", measures=given) for arm, text in arms.items()]
    studies = {"loops": 'policy = "json-or-tokens"\nenvelope = "output-json"'}
    path = tmp_path / "audit.db"
    load(path, [write_run(tmp_path / "run", pair, [], studies=studies)], LoadOptions())
    report = measure_file(path, MeasureOptions(workers=1))
    assert (report.measured, report.kept, report.engine) == (2, 0, engine_of("python"))
    assert values(path, "pair", "long-trace-final")["branches_preserved"] == "true"
    assert "nesting" in {one.name for one in report.differences}
    assert measure_file(path, MeasureOptions(workers=1)).kept == 2
