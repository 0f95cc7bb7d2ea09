"""Executing C* tasks: labels are confirmed or disputed, and the verdicts on replies stay what they are."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.cstar_run import cstar_job, notation_of_task, run_cstar
from auditor.audit.execute import Executing
from auditor.audit.grade import grade_file
from auditor.audit.inspect import verify
from auditor.audit.load import LoadOptions, load
from auditor.audit.not_runnable import NotRunnable
from auditor.execution.protection import protection_by
from auditor.execution.workers import Job
from auditor.model import Scalar, Task
from auditor.store.file import open_for_reading
from auditor.studies.prex.cstar.notation import NOTATIONS, STANDARD
from auditor.studies.prex.cstar.respelling import respell
from tests.studies.prex.results import PROGRAMS, record, right_reply, write_lines

LIMIT = "stopped at the limit of processor time: Under K the program "
CONTAINED = any(protection_by(wall).complete for wall in ("bubblewrap", "namespaces"))


def asked(source: str, arm: str = "S/Standard", target: str = "verdict", **facets: Scalar) -> Task:
    return Task("s", "c", arm, "cstar", source, "", target, "", facets=facets)


def given(task: Task) -> tuple[str, str | None]:
    job = cstar_job(task)
    assert isinstance(job, Job)
    done = run_cstar(job)
    return done.outcome.sentence, None if done.output is None else done.output.decode()


@pytest.mark.parametrize(
    ("error", "s_rule", "k_rule"),
    [
        ("None", None, None),
        ("break_outside_loop", 73, 34),
        ("continue_outside_loop", 76, 31),
        ("divide_by_zero", 19, 7),
        ("modulo_zero", 23, 9),
        ("var_use_before_declare", 2, 2),
    ],
)
@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=lambda one: one.key)
def test_figure_4_is_run_in_every_notation(
    error: str, s_rule: int | None, k_rule: int | None, notation: object
) -> None:
    from auditor.studies.prex.cstar.notation import Notation

    assert isinstance(notation, Notation)
    source = respell(PROGRAMS[error], STANDARD, notation)
    for semantics, rule in (("S", s_rule), ("K", k_rule)):
        told = {"verdict": "success"} if rule is None else {"verdict": "error", "rule": f"Rule {rule}"}
        task = asked(source, f"{semantics}/{notation.name}", shift=notation.name)
        assert notation_of_task(task) is notation
        sentence, output = given(task)
        assert sentence == "finished" and json.loads(output or "") == told


def test_a_final_state_is_what_a_state_task_comes_to() -> None:
    task = asked(PROGRAMS["None"], "K/Standard", "state", semantics="K", notation="standard")
    assert given(task)[1] == '{"a":3045,"b":1078,"ans":4123}'
    assert given(asked(PROGRAMS["modulo_zero"], target="state", notation="standard"))[1] == '"##error##"'


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("int a; a = ;", "does not compile: line 1, column 12: "),
        ("x = 1;", "ended with no verdict: Under K the program "),
        (
            "int a; while (true) { a = (a + 1); };",
            LIMIT,
        ),
        (
            "int a; a = 2; while (true) { a = (a * a); };",
            LIMIT,
        ),
    ],
)
def test_a_program_without_a_verdict_says_how_it_ended(
    source: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.audit.cstar_run.STEPS", 5_000)
    told, output = given(asked(source, "K/Standard", shift="Standard"))
    assert told.startswith(sentence) and output is None


def test_signs_of_another_notation_are_not_taken_for_symbols() -> None:
    mixed = respell(PROGRAMS["None"], STANDARD, NOTATIONS["obf"]).replace(NOTATIONS["obf"].spell("+"), "+")
    told, output = given(asked(mixed, "S/KeywordObf", notation="obf"))
    assert told.startswith("does not compile: line 6") and output is None


@pytest.mark.parametrize(
    "task",
    [
        asked("int a;", "output", shift="Standard"),
        asked("int a;", "S/Standard", shift="Other"),
        asked("int a;", "S/Standard", notation="runes"),
        asked("int a;", "S/Standard", target="probe", shift="Standard"),
        asked(" ", "S/Standard", shift="Standard"),
    ],
)
def test_what_cannot_be_run_says_why(task: Task) -> None:
    assert isinstance(cstar_job(task), NotRunnable)


@pytest.mark.skipif(not CONTAINED, reason="execution is refused where untrusted programs cannot be contained")
def test_a_label_that_the_interpreter_contradicts_is_disputed_and_verdicts_stay(tmp_path: Path) -> None:
    label = {"semantic-error-type": "None", "semantic-error-rule": "None", "ans": "##success##"}
    wrong = label | {"src-filename": "q.imp"}
    records = [record("divide_by_zero"), record("None"), record("modulo_zero") | wrong]
    lines = [one | {"model-prediction": right_reply(one)} for one in records]
    lines.append(record("continue_outside_loop") | {"model-prediction": "<ans>##error##</ans><rule>73</rule>"})
    path = write_lines(tmp_path / "uk" / "IMP-SOS" / "m-da" / "results-42.jsonl", lines)
    file = tmp_path / "a.db"
    load(file, [path], LoadOptions())
    before = grade_file(file)
    report = grade_file(file, execute=Executing(workers=1))
    assert report.execution is not None and report.execution.tasks == {"agrees": 3, "disputed": 1}
    assert report.execution.disputed == ["prex-human-written/q%2Fvalid/S%2FStandard"]
    assert report.statuses == before.statuses and report.modes["oracle_disputed"] == 1
    with closing(open_for_reading(file)) as connection:
        (status, findings) = connection.execute(
            "SELECT d.status, d.findings FROM grades d WHERE d.mode = 'oracle_disputed'"
        ).fetchone()
    assert status == "correct-valid"
    assert "the program gives" in findings and "Rule 23" in findings
    assert all(not check.problems for check in verify(file))
    again = grade_file(file, execute=Executing(workers=1)).execution
    assert again is not None and again.ran == 0 and again.tasks == report.execution.tasks
