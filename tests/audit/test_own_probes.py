"""Probes that people write: answers from the run, nothing asked twice, undone, merged, out as `build core` reads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.audit.export import ExportOptions, write_export
from auditor.audit.inspect import verify
from auditor.audit.load import LoadOptions, load
from auditor.audit.merge import merge
from auditor.audit.own_probes import WrittenHere, list_probes, propose_probes, withdraw_probe, write_probe
from auditor.audit.probe_files import import_probes
from auditor.audit.probe_runs import CaseRuns, ProbeRun, Wanted, case_to_ask, open_run, opened_boxes, prompt_of
from auditor.audit.review import Pending, QueueWish, Refused, Saved, Undo, open_session
from auditor.audit.session_summary import summarise_session
from auditor.audit.subjects import add_subjects
from auditor.errors import InputError
from auditor.model import Task
from auditor.store.changes import OwnProbe
from auditor.store.file import open_for_reading
from auditor.store.own_probes import ProbeRecord
from auditor.store.reviews import WriteProbe
from auditor.store.tasks import iterate_tasks
from auditor.studies.core.building import BuildOptions, build_all
from auditor.studies.core.problem_files import read_problems
from tests.audit.test_review import locked
from tests.hostile import HOSTILE
from tests.tui.core_audit import LOOPS, TESTS, WHILE
from tests.walls import need_wall

RUN = "longest-run/loops/t03"
BEST = Wanted("value-at-exit", 3, 1, "best")
HELD = Wanted("branch", 4, 3)
Write = Callable[..., WrittenHere]


@pytest.fixture(scope="module")
def run(core_template: Path) -> ProbeRun:
    need_wall()
    with closing(open_for_reading(core_template)) as connection:
        task = next(one for one in iterate_tasks(connection) if one.case == RUN)
    with opened_boxes() as boxes:
        return open_run(case_to_ask(task), boxes)


@pytest.fixture
def audit(core_template: Path, tmp_path: Path) -> Path:
    need_wall()
    return Path(shutil.copy(core_template, tmp_path / "core.db"))


def records(path: Path, where: str = "", annotator: str | None = None) -> list[ProbeRecord]:
    with closing(open_for_reading(path)) as connection:
        return list(list_probes(connection, where, annotator))


@pytest.fixture(scope="module")
def write() -> Iterator[Write]:
    """Return a function that writes a probe of RUN, which runs once for all."""
    with CaseRuns() as runs:

        def write_one(path: Path, who: str, wanted: Wanted, question: str = "", *dimensions: str) -> WrittenHere:
            return write_probe(path, who, RUN, wanted, question=question or None, dimensions=dimensions, runs=runs)

        yield write_one


def put(path: Path, who: str, probe: OwnProbe) -> None:
    """Write a probe that was answered before."""
    with closing(open_session(path, who, QueueWish(where=f"case:{RUN}", order="import"))) as session:
        assert isinstance(session.submit(session.queue[0], WriteProbe(probe)), Saved)


def problems(path: Path) -> list[str]:
    return [problem for check in verify(path) for problem in check.problems]


def test_a_probe_is_written_changed_withdrawn_and_taken_up_again(audit: Path, write: Write) -> None:
    made = write(audit, "ana", BEST)
    assert (made.probe.answer, made.probe.answer_type, made.probe.name) == (
        "3",
        "integer",
        "value-at-exit/line-3/1/best",
    )
    assert made.probe.question.startswith("When the loop in line 3")
    assert write(audit, "ana", BEST).done is None
    again = write(audit, "ana", BEST, "How long is the longest run in the end?", "State", "Arithmetic")
    assert again.probe.dimensions == ("Arithmetic", "State") and again.probe.answer == "3"
    # What is not given stays as it was written.
    assert write(audit, "ana", BEST).done is None
    (record,) = records(audit)
    assert (record.run, record.annotator, record.state) == (("longest-run", "loops", "t03"), "ana", "written")
    assert record.probe.question == "How long is the longest run in the end?"
    withdraw_probe(audit, "ana", RUN, record.name)
    assert withdraw_probe(audit, "ana", RUN, record.name).done is None
    assert [one.state for one in records(audit)] == ["withdrawn"]
    withdraw_probe(audit, "ana", RUN, record.name, back=True)
    assert [one.state for one in records(audit, "problem:longest-run", "ana")] == ["written"]
    assert problems(audit) == []


def test_nothing_is_asked_twice_of_a_run(audit: Path, run: ProbeRun, write: Write) -> None:
    put(audit, "ana", run.answered(BEST, "How long is it?"))
    with pytest.raises(InputError, match="ana wrote this probe already"):
        write(audit, "ben", BEST, "Otherwise said?")
    with pytest.raises(InputError, match="asks in the same words; say it otherwise"):
        write(audit, "ben", HELD, "how  long is IT?")
    with pytest.raises(InputError, match="the study core asks this of the run already"):
        write(audit, "ben", Wanted("value-at-visit", 5, 2, "run"))
    other = write_probe(audit, "ben", "longest-run/loops/t01", BEST, question="How long is it?")
    assert other.probe.answer == "2"
    withdraw_probe(audit, "ana", RUN, records(audit, annotator="ana")[0].name)
    put(audit, "ben", run.answered(BEST))
    with pytest.raises(InputError, match="ben wrote this probe already"):
        withdraw_probe(audit, "ana", RUN, records(audit, annotator="ana")[0].name, back=True)


def test_what_cannot_be_asked_is_refused_in_a_sentence(audit: Path, run: ProbeRun) -> None:
    for wanted, words in (
        (Wanted("branch", 4, 9), "the run gives no answer: line 4 is evaluated 4 times, not 9"),
        (Wanted("branch", 2), "the run gives no answer: line 2 has no condition"),
        (Wanted("value-at-visit", 3, 1, "best"), "line 3 begins a loop or is a condition"),
        (Wanted("loop-count", 5), "line 5 begins no loop"),
        (Wanted("loop-count", 99), "the run gives no answer: line 99 does not run"),
        (Wanted("branch", 4, None, "x"), "names no variable"),
        (Wanted("value-at-visit", 4), "names a variable"),
        (Wanted("guess", 4), "there is no kind 'guess'"),
    ):
        with pytest.raises(InputError, match=words):
            run.answered(wanted)
    with pytest.raises(InputError, match="there is no dimension 'Luck'"):
        run.answered(HELD, "", ("Luck",))
    with pytest.raises(InputError, match="2,000 are enough"):
        run.answered(HELD, "x" * 2_001)
    for about, words in (
        ("longest-run/loops/t99", "no item here is about the run"),
        ("nothing", "is not made as study/case/arm/setting/sample"),
    ):
        with pytest.raises(InputError, match=words):
            write_probe(audit, "ana", about, BEST)
    assert records(audit) == []


def test_a_review_writes_undoes_and_keeps_what_a_locked_file_cannot_take(audit: Path, run: ProbeRun) -> None:
    proposed = run.proposals()
    first, second = proposed[0], next(one for one in proposed if one.name != proposed[0].name)
    with closing(open_session(audit, "ana", QueueWish(where="case:longest-run/loops/t03", order="import"))) as session:
        item = session.item(0)
        done = session.submit(item.response_id, WriteProbe(first))
        assert isinstance(done, Saved) and done.message == f"probe {first.name} written"
        assert session.item(0).review.state.value == "not-reviewed"
        refused = session.submit(session.item(1).response_id, WriteProbe(first))
        assert isinstance(refused, Refused) and "wrote this probe already" in refused.message
        undone = session.submit(item.response_id, Undo())
        assert isinstance(undone, Saved) and undone.message == f"undone: probe {first.name} written"
        assert session.item(0).review.probes == ()
        with locked(audit):
            kept = session.submit(item.response_id, WriteProbe(second))
            assert isinstance(kept, Pending)
            assert session.item(0).review.probes == (second,)
    assert [one.name for one in records(audit)] == [second.name]
    assert summarise_session(audit, "ana", "execution", 0) == "In this sitting: 1 probe."
    assert problems(audit) == []


def test_merging_says_who_wrote_the_same(audit: Path, tmp_path: Path, run: ProbeRun) -> None:
    other = Path(shutil.copy(audit, tmp_path / "other.db"))
    put(audit, "ana", run.answered(BEST, "Here?"))
    put(other, "ben", run.answered(BEST, "There?"))
    put(other, "ben", run.answered(HELD))
    report = merge(audit, [other])
    assert [note for note in report.notes if "is written by ana, ben, in other words" in note]
    assert [(one.annotator, one.probe.question[:6]) for one in records(audit) if one.name.startswith("value")] == [
        ("ana", "Here?"),
        ("ben", "There?"),
    ]
    assert problems(audit) == []
    file = tmp_path / "probes.jsonl"
    written = write_export(audit, "probes", file)
    assert written.rows == 2 and "the earliest of each is written" in written.notes[0]
    assert "There?" not in file.read_text()
    # One person who goes on in both: the last word holds, and the item is listed.
    shutil.copy(audit, other)
    put(audit, "ana", run.answered(BEST, "Here again?"))
    put(other, "ana", run.answered(BEST, "There again?"))
    again = merge(audit, [other])
    assert [one.annotator for one in again.conflicts] == ["ana"]
    assert [one.probe.question for one in records(audit, annotator="ana")] == ["There again?"]


def test_probes_at_items_that_were_replaced_are_still_told_of(audit: Path, tmp_path: Path, run: ProbeRun) -> None:
    put(audit, "ana", run.answered(BEST))
    put(audit, "ben", run.answered(HELD))
    write_export(audit, "run", tmp_path / "run")
    tasks = tmp_path / "run" / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace("best, run = 0, 0", "best, run = 0, 1"))
    report = load(audit, [tmp_path / "run"], LoadOptions(replace=True))
    assert [note for note in report.notes if "written at items that were replaced: 2 probes" in note]
    assert [(one.annotator, one.state) for one in records(audit)] == [("ana", "replaced"), ("ben", "replaced")]
    assert records(audit, "problem:longest-run") == [] and len(records(audit, annotator="ana")) == 1
    with pytest.raises(InputError, match="Left out: 2 probes at items that were replaced"):
        write_export(audit, "probes", tmp_path / "p.jsonl")
    put(audit, "ana", run.answered(BEST))
    assert [(one.annotator, one.state) for one in records(audit)] == [("ana", "written"), ("ben", "replaced")]
    written = write_export(audit, "probes", tmp_path / "p.jsonl")
    assert written.rows == 1 and "1 probe at items that were replaced" in written.notes[0]
    assert write_export(audit, "probes", tmp_path / "p.csv").rows == 2
    assert problems(audit) == []


def problem_folder(folder: Path) -> Path:
    """Write the problem of the audit file as `build core` reads it."""
    (folder / "implementations").mkdir(parents=True)
    (folder / "problem.toml").write_text('entry_point = "longest"\n')
    for name, source in (("loops", LOOPS), ("while_index", WHILE)):
        (folder / "implementations" / f"{name}.py").write_text(source)
    lines = [json.dumps({"test": name, "input": given, "output": out}) for name, (given, out) in TESTS.items()][::2]
    (folder / "tests.jsonl").write_text("\n".join(lines))
    return folder


def test_what_is_written_is_built_with_the_same_answer_and_comes_back(
    audit: Path, core_template: Path, tmp_path: Path, write: Write
) -> None:
    made = [
        write(audit, "ana", BEST, "[b]\x1b[2J\ud83d", "State"),
        write_probe(audit, "ana", "longest-run/while-index/t01", Wanted("loop-count", 3)),
    ]
    folder = problem_folder(tmp_path / "problems" / "longest_run")
    write_export(audit, "probes", tmp_path / "problems")
    read, refused = read_problems([folder])
    assert not refused
    (built,) = build_all(read, BuildOptions(probes=2))
    assert built.refusals == ()
    asked = {task.question: task for task in built.tasks if task.target == "probe"}
    for one in made:
        task = asked[one.probe.question]
        assert json.dumps(task.oracle) == one.probe.answer and task.answer_type == one.probe.answer_type
        assert task.dimensions == one.probe.dimensions and task.case == one.run
    other = Path(shutil.copy(core_template, tmp_path / "second.db"))
    report = import_probes(other, folder / "probes.jsonl", "ben", "longest-run")
    assert (report.changed, report.refusals) == (2, [])
    assert [one.probe for one in records(other)] == [one.probe for one in records(audit)]
    bad = tmp_path / "bad.jsonl"
    bad.write_text(
        '{"implementation": "loops"}\nno\n' + '{"implementation":"loops","test":"t9","kind":"branch","line":4}'
    )
    assert len(import_probes(other, bad, "ben", "longest-run").refusals) == 3


def test_any_question_stays_what_it_is(audit: Path, tmp_path: Path) -> None:
    wanted = {number: text for number, text in enumerate(HOSTILE.values(), 1) if text.strip()}
    with closing(open_session(audit, "ana", QueueWish(where="case:longest-run/loops/t03", order="import"))) as session:
        for line, question in wanted.items():
            probe = OwnProbe("branch", line, 1, None, f"{line} {question}", ("Logic",), "true", "boolean", 5, 3)
            assert isinstance(session.submit(session.queue[0], WriteProbe(probe)), Saved)
    found = {one.probe.line: one.probe.question for one in records(audit)}
    assert found == {line: f"{line} {question}" for line, question in wanted.items()}
    for target in ("p.jsonl", "p.csv", "p.md"):
        assert write_export(audit, "probes", tmp_path / target).rows == len(wanted)
    lines = map(json.loads, (tmp_path / "p.jsonl").read_bytes().splitlines())
    assert {line["line"]: line["question"] for line in lines} == found
    assert problems(audit) == []


def test_exports_that_cannot_be_are_refused(audit: Path, tmp_path: Path, run: ProbeRun) -> None:
    with pytest.raises(InputError, match="there are no probes, so there is nothing to write"):
        write_export(audit, "probes", tmp_path / "p.jsonl")
    made = run.answered(BEST)
    put(audit, "ana", made)
    withdraw_probe(audit, "ana", RUN, made.name)
    with pytest.raises(InputError, match="there are no probes that the filter"):
        write_export(audit, "probes", tmp_path / "p.jsonl", ExportOptions(annotators=("ana",)))
    assert write_export(audit, "probes", tmp_path / "p.csv").rows == 1
    assert b"withdrawn" in (tmp_path / "p.csv").read_bytes()
    withdraw_probe(audit, "ana", RUN, made.name, back=True)
    with pytest.raises(InputError, match="no format"):
        write_export(audit, "probes", tmp_path / "p.txt")
    folder = tmp_path / "all"
    write_export(audit, "probes", folder)
    with pytest.raises(InputError, match=r"exists already.* with `auditor probes import`"):
        write_export(audit, "probes", folder)
    write_export(audit, "probes", folder, ExportOptions(force=True))
    assert (folder / "longest-run" / "probes.jsonl").is_file()


def test_a_prompt_asks_the_question_and_subjects_can_be_asked_about(audit: Path) -> None:
    add_subjects(audit)
    case, proposed = propose_probes(audit, "core-probes/longest-run%2Floops%2Ft03/probe%2Fp1/subject/0")
    words = prompt_of(case, proposed[0])
    assert "longest([5, 5, 5, 1])" in words and proposed[0].question in words and LOOPS.strip() in words
    with pytest.raises(InputError, match="this item names no test"):
        propose_probes(audit, "core-implementations/longest-run%2Floops/implementation/subject/0")


def test_an_item_of_no_problem_and_one_that_is_no_python_have_no_probes(core_template: Path) -> None:
    with closing(open_for_reading(core_template)) as connection:
        task = next(iterate_tasks(connection))
    wrong: Sequence[tuple[Task, str]] = (
        (replace(task, problem=None), "no problem with named implementations"),
        (replace(task, language="cpp"), "this one is in cpp"),
        (replace(task, source="x = (", extra={}), "not known which function"),
        (replace(task, input="1,,"), "not the arguments of a call"),
    )
    for one, words in wrong:
        with pytest.raises(InputError, match=words):
            case_to_ask(one)
    assert OwnProbe("branch", 4, None, None, "", (), "1", "integer", 4, 3).name == "branch/line-4/all"
