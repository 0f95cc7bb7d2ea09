"""A problem under one setting in one repetition: by hand, against the tables' own reading, and what is refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from auditor.audit.consistency import Consistency, consistency, marks_told, measure_words
from auditor.audit.core_replies import read_problems
from auditor.audit.grade import grade_file
from auditor.audit.invalidate import set_validity
from auditor.audit.load import LoadOptions, load
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.store.file import open_for_reading
from auditor.store.related import response_key
from auditor.studies.core.measures import measure
from auditor.text import has_invisible
from tests.hostile import HOSTILE
from tests.runs import write_run
from tests.studies.core.toy import STUDY, Name, output_task, probe_task, write_toy

Wrong = Mapping[tuple[str, int], Mapping[Name, str | None]]
WRONG: Wrong = {
    ("a", 0): {("p", "terse", "2"): "9", ("q", "1"): "8", ("q", "2"): "absent"},
    ("b", 0): {("q", "loops", "1"): None, ("p", "1"): "8", ("p", "2"): "8", ("p", "3"): "8"},
    ("b", 1): {},
}
TWO = ("core-outputs", "core-probes")


def made(folder: Path, wrong: Wrong = WRONG, studies: tuple[str, str] = ("core", "core")) -> Path:
    load(folder / "a.db", [write_toy(folder / "run", wrong, studies=studies)], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("strip"))


def response_of(connection: sqlite3.Connection, problem: str, setting: str, sample: int = 0) -> int:
    sql = (
        "SELECT r.id FROM responses r JOIN tasks t ON t.id = r.task_id JOIN settings g ON g.id = r.setting_id"
        " WHERE t.problem = ? AND g.name = ? AND r.sample = ? AND r.superseded_at IS NULL ORDER BY r.id LIMIT 1"
    )
    return int(connection.execute(sql, (problem, setting, sample)).fetchone()[0])


def strip(audit: Path, problem: str, setting: str, sample: int = 0) -> Consistency:
    with closing(open_for_reading(audit)) as connection:
        return consistency(connection, response_of(connection, problem, setting, sample))


def states(found: Consistency) -> dict[str, list[str]]:
    return {row.name: [row.cells[test].state for test in found.tests] for row in found.implementations}


def test_marks_and_measures_are_those_worked_out_by_hand(audit: Path) -> None:
    found = strip(audit, "p", "a")
    assert states(found) == {"loops": ["right", "right"], "terse": ["right", "wrong"]}
    assert [(one.name, one.dimensions, one.cell.state) for one in found.probes] == [
        ("probe/1", ("arithmetic",), "right"),
        ("probe/2", ("arithmetic", "logic"), "right"),
        ("probe/3", ("state",), "right"),
    ]
    assert measure_words(found) == (
        "I 0.00 % · I_s 50.00 % · W 100.00 % · W_s 100.00 % · RCS 0.00 % · Cons(I, W_s) 0.00 · Cons(I, W) 0.00"
    )
    found = strip(audit, "q", "a")
    assert [one.cell.state for one in found.probes] == ["wrong", "no reply", "right"]
    assert marks_told(found) == "✓ right, ✗ wrong, · no reply"
    assert found.measures is not None and found.measures.consistency_score == Fraction(1, 3)
    found = strip(audit, "q", "b")
    assert states(found) == {"loops": ["no reply", "right"], "terse": ["right", "right"]}
    assert [(one.name, one.sample) for one in found.repetitions] == [("a", 0), ("b", 0), ("b", 1)]
    assert found.repetition.name == "b" and found.at == 1


@pytest.mark.parametrize("studies", [("core", "core"), TWO])
def test_it_agrees_with_the_tables(tmp_path: Path, studies: tuple[str, str]) -> None:
    # A third repetition of one problem alone makes the others of its kind missing there, in the tables and here.
    more = {name: "absent" for name in _names("p")} | {name: "absent" for name in _names("q")[1:]}
    audit = made(tmp_path, {**WRONG, ("b", 2): more}, studies)
    set_validity(audit, "me", "problem:q implementation:loops test:1 target:output setting:a", "asked wrongly")
    with closing(open_for_reading(audit)) as connection:
        tables = read_problems(connection, "", None)
        compared = 0
        first = response_of(connection, "p", "a"), response_of(connection, "q", "a")
        for response_id in first:
            for repetition in consistency(connection, response_id).repetitions:
                found = consistency(connection, response_id, repetition)
                runs = tables.answers[repetition.name][found.problem]
                assert found.measures == measure(runs[repetition.sample].run()), (found.problem, repetition)
                compared += 1
        assert compared == 8


def test_a_setting_that_no_plan_names_has_its_marks(audit: Path, tmp_path: Path) -> None:
    run = write_toy(tmp_path / "run", WRONG)
    with (run / "run.toml").open("a", encoding="utf-8") as file:
        file.write('[[planned]]\nstudy = "core"\narm = "output"\nsetting = "a"\nsamples = 1\n')
    load(tmp_path / "a.db", [run], LoadOptions())
    grade_file(tmp_path / "a.db")
    for setting, sample in WRONG:
        found, expected = (strip(path, "p", setting, sample) for path in (tmp_path / "a.db", audit))
        assert states(found) == states(expected) and found.measures == expected.measures


def _names(problem: str) -> list[Name]:
    outputs: list[Name] = [(problem, style, test) for style in ("loops", "terse") for test in ("1", "2")]
    return [*outputs, *((problem, probe) for probe in ("1", "2", "3"))]


def test_it_is_found_through_indexes(audit: Path) -> None:
    with closing(open_for_reading(audit)) as connection:
        response_id = response_of(connection, "q", "b")
        said: list[str] = []
        connection.set_trace_callback(said.append)
        consistency(connection, response_id)
        connection.set_trace_callback(None)
        plans = [row[3] for sql in said for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    assert len(plans) > 6
    scanned = {plan.split()[1] for plan in plans if plan.startswith("SCAN")}
    assert scanned <= {"studies", "settings", "CONSTANT"}


def test_what_is_not_graded_is_not_measured(tmp_path: Path) -> None:
    load(tmp_path / "a.db", [write_toy(tmp_path / "run", WRONG)], LoadOptions())
    found = strip(tmp_path / "a.db", "p", "b")
    assert found.measures is None
    assert measure_words(found) == "7 replies not graded yet, so that nothing can be measured."
    assert states(found)["loops"] == ["not graded", "not graded"]


def test_a_repetition_without_probes_has_no_measures_of_them(tmp_path: Path) -> None:
    probes: dict[Name, str | None] = {(problem, probe): "absent" for problem in "pq" for probe in "123"}
    audit = made(tmp_path, {("a", 0): {}, ("a", 1): probes})
    with closing(open_for_reading(audit)) as connection:
        samples = connection.execute("SELECT arm, samples FROM planned_cells").fetchall()
    assert {arm: count for arm, count in samples if "probe" in arm} == {f"probe/{one}": 1 for one in "123"}
    found = strip(audit, "p", "a", 1)
    assert [one.cell.state for one in found.probes] == ["not asked"] * 3
    assert measure_words(found).endswith("Cons(I, W) -   The problem has no probes.")


def test_an_item_of_no_problem_and_an_output_asked_twice_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    task = output_task("p", "loops", "1")
    twice = task | {"arm": "other"}
    alone = {key: value for key, value in task.items() if key not in ("problem", "implementation")} | {"case": "alone"}
    replies = [
        {key: one[key] for key in ("study", "case", "arm")} | {"setting": "a", "sample": 0, "response": "1"}
        for one in (task, twice, alone)
    ]
    run = write_run(tmp_path / "run", [task, twice, alone], replies, studies={"core": STUDY})
    load(tmp_path / "a.db", [run], LoadOptions())
    with pytest.raises(InputError, match="core / output and core / other both have the same output"):
        strip(tmp_path / "a.db", "p", "a")
    assert main(["show", str(tmp_path / "a.db"), "core/alone/output/a/0", "--consistency"]) == 2
    assert "this item is no output and no probe of a problem" in capsys.readouterr().err


def test_the_command_prints_it(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    item = "core/q%2Floops%2F1/output/a/0"
    assert main(["show", str(audit), item, "--consistency"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("q · a · sample 0\n") and "loops           2/2    ✓  ✓" in out
    assert "probe/2  ·  loops/1  arithmetic, logic  What is x?" in out
    assert "W_s 33.33 %" in out and out.endswith("✓ right, ✗ wrong, · no reply\n")
    assert main(["show", str(audit), item, "--consistency", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["item"], found["problem"], found["setting"], found["sample"]) == (item, "q", "a", 0)
    assert found["implementations"][0]["outputs"][0] == {"test": "1", "state": "right", "status": "correct-valid"}
    assert [one["state"] for one in found["probes"]] == ["wrong", "no reply", "right"]
    assert found["measures"]["RCS"] == pytest.approx(1 / 3) and found["reason"] is None


def test_hostile_names_are_told_and_never_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks, replies = [], []
    for number, text in enumerate(HOSTILE.values()):
        names = {"problem": text or "p", "implementation": text or "i", "case": f"{number} {text}"}
        tasks.append(output_task("p", "loops", "1") | names | {"test": text or "t"})
        tasks.append(probe_task("p", "1", [text or "d"]) | names | {"test": text or "t", "question": text or "q"})
        replies += [{key: one[key] for key in ("study", "case", "arm")} for one in tasks[-2:]]
    answers = [one | {"setting": "[/] \x1b[2J", "sample": 0, "response": "1"} for one in replies]
    run = write_run(tmp_path / "run", tasks, answers, studies={"core": STUDY})
    assert not load(tmp_path / "a.db", [run], LoadOptions()).refusals
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        ids = [row for (row,) in connection.execute("SELECT id FROM responses ORDER BY id")]
        found = [consistency(connection, one) for one in ids]
        keys = [str(response_key(connection, one)) for one in ids]
    assert {one.problem for one in found} >= set(filter(None, HOSTILE.values()))
    for key in keys:
        assert main(["show", str(tmp_path / "a.db"), key, "--consistency"]) == 0
        assert not has_invisible(capsys.readouterr().out.replace("\n", ""))
    assert main(["show", str(tmp_path / "a.db"), keys[-1], "--consistency", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problem"] == ([*HOSTILE.values()][-1] or "p")
