"""Importing: idempotent, refusing what differs, record by record, and nothing half done whatever happens."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.load import LoadOptions, LoadReport, load
from auditor.errors import AuditFileError, AuditorError, InputError, InterruptedWorkError
from auditor.formats import lines_ahead
from auditor.model import ResponseKey
from auditor.store.cells import absent_cells, count_absent_cells
from auditor.store.file import open_file, open_for_reading
from auditor.store.responses import find_response, iterate_responses
from auditor.store.tasks import Outcome, iterate_tasks, load_settings, load_studies
from auditor.text import UndecodedText
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run

NEW, UNCHANGED, REPLACED, CONFLICT = Outcome.NEW, Outcome.UNCHANGED, Outcome.REPLACED, Outcome.CONFLICT


def bring_in(file: Path, *inputs: Path, **options: Any) -> LoadReport:
    return load(file, inputs, LoadOptions(**options))


def rows(file: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


def contents(file: Path) -> str:
    """Return everything in the file as SQL text."""
    with closing(sqlite3.connect(file)) as connection:
        return "\n".join(connection.iterdump())


def digest_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "audit.db"


@pytest.fixture(autouse=True, params=["here", "ahead"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Import everything in this module twice: responses read in this process and by another one."""
    monkeypatch.setattr(lines_ahead, "WORTH_A_PROCESS", 1 if request.param == "ahead" else 1 << 60)
    monkeypatch.setattr(lines_ahead, "_cores", lambda: 2)
    return str(request.param)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    tasks = [task(case, arm) for case in ("c1", "c2") for arm in ("output", "other")]
    answers = [response(case, arm, setting) for case in ("c1", "c2") for arm in ("output", "other") for setting in "mn"]
    return write_run(tmp_path / "run", tasks, answers, [{"setting": "m", "model": "M", "facets": {"t": 0.2}}])


def put_a_tag(file: Path) -> None:
    """Tag response 1 as a person would."""
    from auditor.audit.review import QueueWish, ToggleTag, open_session

    with closing(open_session(file, "ana", QueueWish(where=""))) as session:
        session.submit(1, ToggleTag("copying"))


# --- the same again ------------------------------------------------------------------------------------------------


def test_a_second_import_of_a_run_writes_nothing(file: Path, run: Path) -> None:
    first = bring_in(file, run)
    assert (first.tasks, first.responses, first.refusals) == ({NEW: 4}, {NEW: 8}, [])
    before, digest = contents(file), digest_of(file)
    second = bring_in(file, run)
    assert (second.tasks, second.responses, second.refusals) == ({UNCHANGED: 4}, {UNCHANGED: 8}, [])
    assert contents(file) == before and digest_of(file) == digest


def test_an_import_goes_on_where_a_part_is_there_already(file: Path, run: Path) -> None:
    lines = (run / "responses.jsonl").read_bytes()
    (run / "responses.jsonl").write_bytes(b"".join(lines.splitlines(keepends=True)[:3]))
    bring_in(file, run)
    (run / "responses.jsonl").write_bytes(lines)
    assert bring_in(file, run).responses == {UNCHANGED: 3, NEW: 5}


def test_usage_that_a_second_file_adds_is_kept_without_being_a_change(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()]))
    report = bring_in(file, write_run(tmp_path / "b", [task()], [response(usage={"output_tokens": 7})]))
    assert report.responses == {UNCHANGED: 1}
    with closing(open_for_reading(file)) as connection:
        assert [r.extra for r in iterate_responses(connection)] == [{"usage": {"output_tokens": 7}}]


# --- other content under the same names ----------------------------------------------------------------------------


def test_changed_replies_are_refused_with_file_and_line_and_the_rest_is_imported(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task(), task("c2")], [response()]))
    changed = write_run(tmp_path / "b", [task(), task("c2")], [response(response="other"), response("c2")])
    report = bring_in(file, changed)
    assert report.responses == {CONFLICT: 1, NEW: 1}
    assert [r.where for r in report.refusals] == ["responses.jsonl:1"]
    assert "--replace" in report.refusals[0].reason
    with closing(open_for_reading(file)) as connection:
        assert [r.text for r in iterate_responses(connection)] == ["c1\n", "c2\n"]


@pytest.mark.parametrize("field", ["reasoning", "finish", "error"])
def test_a_reply_differs_also_by_what_stands_beside_it(file: Path, tmp_path: Path, field: str) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()]))
    report = bring_in(file, write_run(tmp_path / "b", [task()], [response(**{field: "x"})]))
    assert report.responses == {CONFLICT: 1}


def test_a_missing_reply_and_an_empty_one_differ(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response(response=None)]))
    assert bring_in(file, write_run(tmp_path / "b", [task()], [response(response="")])).responses == {CONFLICT: 1}


def test_two_replies_under_one_name_in_one_file_keep_the_first(file: Path, tmp_path: Path) -> None:
    twice = [response(response="one"), response(response="one"), response(response="two")]
    report = bring_in(file, write_run(tmp_path / "a", [task()], twice))
    assert report.responses == {NEW: 1, UNCHANGED: 1, CONFLICT: 1}
    assert [r.where for r in report.refusals] == ["responses.jsonl:3"]


def test_replace_keeps_the_old_reply_and_its_tags_in_the_history(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()]))
    put_a_tag(file)
    changed = write_run(tmp_path / "b", [task()], [response(response="other")])
    report = bring_in(file, changed, replace=True)
    assert report.responses == {REPLACED: 1}
    assert report.notes == [
        "1 reviewed item was replaced; what people put on the old replies stays in the history and no longer counts."
    ]
    assert rows(file, "SELECT reply, superseded_at IS NULL FROM responses ORDER BY id") == [("c1\n", 0), ("other", 1)]
    assert rows(file, "SELECT response_id, tag_id IS NOT NULL FROM applied_tags") == [(1, 1)]
    assert rows(file, "SELECT count(*) FROM events") == [(1,)]
    assert bring_in(file, changed).responses == {UNCHANGED: 1}


def test_an_oracle_that_changes_keeps_the_replies_and_their_tags(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()]))
    put_a_tag(file)
    changed = write_run(tmp_path / "b", [task(oracle="corrected\n")], [response()])
    refused = bring_in(file, changed)
    assert refused.tasks == {CONFLICT: 1} and "task s/c1/output" in refused.refusals[0].where
    replaced = bring_in(file, changed, replace=True)
    assert (replaced.tasks, replaced.responses, replaced.notes) == ({REPLACED: 1}, {UNCHANGED: 1}, [])
    with closing(open_for_reading(file)) as connection:
        assert [t.oracle for t in iterate_tasks(connection)] == ["corrected\n"]
        assert find_response(connection, ResponseKey("s", "c1", "output", "m", 0)) == 1
    assert rows(file, "SELECT response_id FROM applied_tags") == [(1,)]


def test_a_reply_to_another_program_than_the_one_in_the_file_is_refused(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()]))
    tasks, replies = [task(source="print(2)\n"), task("c2")], [response(), response("c2")]
    report = bring_in(file, write_run(tmp_path / "b", tasks, replies))
    assert report.responses == {NEW: 1}
    assert [refusal.where for refusal in report.refusals] == ["b: task s/c1/output", "responses.jsonl:1"]
    assert "another task under its name" in report.refusals[1].reason
    assert bring_in(file, tmp_path / "b", replace=True).responses == {NEW: 1, UNCHANGED: 1}


def test_a_source_that_changes_supersedes_the_replies_to_it(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()]))
    put_a_tag(file)
    changed = write_run(tmp_path / "b", [task(source="print(2)\n")], [response()])
    report = bring_in(file, changed, replace=True)
    assert (report.tasks, report.responses) == ({REPLACED: 1}, {NEW: 1})
    assert rows(file, "SELECT superseded_at IS NULL FROM responses ORDER BY id") == [(0,), (1,)]
    assert rows(file, "SELECT response_id FROM applied_tags") == [(1,)]


def test_a_setting_that_says_otherwise_is_refused_unless_replaced(file: Path, run: Path, tmp_path: Path) -> None:
    bring_in(file, run)
    other = write_run(tmp_path / "b", [task()], [], [{"setting": "m", "model": "Other"}])
    report = bring_in(file, other)
    assert [r.where for r in report.refusals] == ["b: setting m"]
    bring_in(file, other, replace=True)
    with closing(open_for_reading(file)) as connection:
        assert [(s.name, s.model, dict(s.facets)) for s in load_settings(connection)] == [
            ("m", "Other", {}),
            ("n", None, {}),
        ]


def test_a_setting_of_which_only_the_name_was_known_is_completed(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()]))
    report = bring_in(file, write_run(tmp_path / "b", [task()], [], [{"setting": "m", "model": "M"}]))
    assert report.refusals == []
    with closing(open_for_reading(file)) as connection:
        assert [s.model for s in load_settings(connection)] == ["M"]


# --- what makes the whole import unusable --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines", ['policy = "bytes"', 'envelope = "output-json"', 'cluster = "problem"', "samples = 3"]
)
def test_a_study_declared_otherwise_changes_nothing(file: Path, run: Path, tmp_path: Path, lines: str) -> None:
    bring_in(file, run)
    before = digest_of(file)
    fresh = write_run(tmp_path / "fresh", [task(study="t")], [], studies={"t": ""})
    other = write_run(tmp_path / "other", [task("c9")], [], studies={"s": lines})
    with pytest.raises(InputError, match="'s' is declared with another"):
        bring_in(file, fresh, other)
    assert digest_of(file) == before
    assert bring_in(file, other, replace=True).tasks == {NEW: 1}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ('policy = "nonsense"', "no policy 'nonsense'"),
        ('envelope = "nonsense"', "no envelope 'nonsense'"),
        ('cluster = "nonsense"', "cluster"),
        ("samples = 0", "samples"),
    ],
)
def test_an_unusable_study_leaves_no_file(file: Path, tmp_path: Path, lines: str, sentence: str) -> None:
    run = write_run(tmp_path / "run", [task()], [response()], studies={"s": lines})
    with pytest.raises(InputError, match=sentence):
        bring_in(file, run)
    assert os.listdir(tmp_path) == ["run"]


@pytest.mark.parametrize(
    "options", [{"format": "nonsense"}, {"policy": "nonsense"}, {"study": "x"}, {"setting": "x"}], ids=str
)
def test_wrong_options_leave_no_file(file: Path, run: Path, tmp_path: Path, options: dict[str, str]) -> None:
    with pytest.raises(InputError):
        bring_in(file, run, **options)
    assert os.listdir(tmp_path) == ["run"]


def test_what_is_no_audit_file_is_left_alone(run: Path, tmp_path: Path) -> None:
    text, plain = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("not a database " * 100)
    with closing(sqlite3.connect(plain)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    for path in (text, plain):
        before = path.read_bytes()
        with pytest.raises(AuditFileError, match="not an audit file"):
            bring_in(path, run)
        assert path.read_bytes() == before
    with pytest.raises(AuditFileError, match="is a folder"):
        bring_in(tmp_path, run)
    with pytest.raises(AuditFileError, match="there is no folder"):
        bring_in(tmp_path / "missing" / "a.db", run)


def test_a_file_that_a_killed_process_left_blank_is_taken(file: Path, run: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert file.stat().st_size > 0
    assert bring_in(file, run).responses == {NEW: 8}


# --- records that cannot be used -----------------------------------------------------------------------------------


def test_unknown_names_are_refused_with_the_reason_and_the_rest_is_imported(file: Path, tmp_path: Path) -> None:
    answers: list[Any] = [
        response(),
        response(study="t"),
        response("c9"),
        response(arm="z"),
        response(sample=2),
        b"{not json",
        response(sample=1),
    ]
    report = bring_in(file, write_run(tmp_path / "run", [task()], answers, studies={"s": "samples = 2"}))
    assert report.responses == {NEW: 2}
    assert {r.where for r in report.refusals} == {f"responses.jsonl:{n}" for n in (2, 3, 4, 5, 6)}
    reasons = " ".join(r.reason for r in report.refusals)
    for words in ('study "t" is not declared', "no case 'c9'", "no arm 'z'", "declares 2", "not JSON"):
        assert words in reasons


def test_the_declared_samples_hold_for_later_files_too(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()], studies={"s": "samples = 1"}))
    more = write_run(tmp_path / "b", [task()], [response(sample=1)], studies={"s": "samples = 1"})
    assert "declares 1" in bring_in(file, more).refusals[0].reason


@pytest.mark.parametrize("name", HOSTILE)
def test_text_of_any_kind_comes_back_exactly_from_every_field(file: Path, tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    given = task(
        text,
        text,
        study=text,
        language=text,
        source=text,
        input=text,
        oracle=text,
        clean_source=text,
        problem=text,
        implementation=text,
        test=text,
        prompt={"system": text, "user": text},
        facets={text: text, "big": 10**30, "yes": True, "none": None},
        measures={text: 1.5},
        **{"unknown" + text: [text, {text: text}]},
    )
    answer = response(text, text, text, study=text, response=text, reasoning=text, finish=text, error=text, odd=text)
    studies = {text: ""}
    if any("\ud800" <= c <= "\udfff" for c in text):  # TOML cannot hold it
        studies, given["study"], answer["study"] = {"s": ""}, "s", "s"
    setting = {"setting": text, "model": text, "mode": text, "prompting": text, "facets": {text: text}, "odd": text}
    report = bring_in(
        file,
        write_run(
            tmp_path / "run",
            [given, task("plain", study=given["study"])],
            [answer, response("plain", study=given["study"])],
            [setting],
            studies=studies,
        ),
    )
    assert report.refusals == [] and report.responses == {NEW: 2}
    with closing(open_for_reading(file)) as connection:
        stored = next(iterate_tasks(connection))
        for field in (
            "study",
            "case",
            "arm",
            "language",
            "source",
            "input",
            "oracle",
            "clean_source",
            "problem",
            "test",
        ):
            assert getattr(stored, field) == given[field], field
        assert stored.facets == given["facets"] and stored.measures == given["measures"]
        assert stored.extra == {"unknown" + text: [text, {text: text}]} and stored.prompt == given["prompt"]
        reply = next(iterate_responses(connection))
        assert (reply.text, reply.reasoning, reply.finish, reply.error) == (text,) * 4
        assert reply.extra == {"odd": text} and reply.key.setting == text
        (found, *_) = load_settings(connection)
        assert (found.name, found.model, found.mode, found.prompting) == (text,) * 4
        assert found.facets == {text: text} and found.extra == {"odd": text}
    assert bring_in(file, tmp_path / "run").responses == {UNCHANGED: 2}


def test_bytes_that_are_not_utf_8_are_kept_and_cost_nobody_else(file: Path, tmp_path: Path) -> None:
    raw = json.dumps(response(response="x@y")).encode().replace(b"@", b"\xff\xfe")
    surrogate = json.dumps(response("c2", response="x\udcffy")).encode()
    report = bring_in(
        file, write_run(tmp_path / "run", [task(), task("c2"), task("c3")], [raw, surrogate, response("c3")])
    )
    assert report.responses == {NEW: 3} and report.refusals == []
    with closing(open_for_reading(file)) as connection:
        texts = [r.text for r in iterate_responses(connection)]
    assert texts == ["x\udcff\udcfey", "x\udcffy", "c3\n"]
    assert isinstance(texts[0], UndecodedText) and not isinstance(texts[1], UndecodedText)
    hashes = rows(file, "SELECT count(DISTINCT content_hash) FROM responses")
    assert hashes == [(3,)]


def test_raw_bytes_and_the_surrogates_that_stand_for_them_are_not_the_same_reply(file: Path, tmp_path: Path) -> None:
    raw = json.dumps(response(response="x@y")).encode().replace(b"@", b"\xff")
    bring_in(file, write_run(tmp_path / "a", [task()], [raw]))
    assert bring_in(file, write_run(tmp_path / "b", [task()], [response(response="x\udcffy")])).responses == {
        CONFLICT: 1
    }


# --- planned cells -------------------------------------------------------------------------------------------------


def test_cells_without_a_row_are_listed(file: Path, tmp_path: Path) -> None:
    tasks = [task(case, arm) for case in ("c1", "c2") for arm in ("a", "b")]
    answers = [response(case, arm) for case in ("c1", "c2") for arm in ("a", "b")][:-1]
    run = write_run(tmp_path / "run", tasks, answers, [{"setting": "m"}, {"setting": "silent"}])
    bring_in(file, run)
    with closing(open_for_reading(file)) as connection:
        assert count_absent_cells(connection) == 5
        assert absent_cells(connection, 10) == [
            ("s", "c2", "b", "m", 1),
            ("s", "c1", "a", "silent", 1),
            ("s", "c1", "b", "silent", 1),
            ("s", "c2", "a", "silent", 1),
            ("s", "c2", "b", "silent", 1),
        ]


def test_the_samples_declared_or_seen_are_what_was_planned(file: Path, tmp_path: Path) -> None:
    declared = write_run(tmp_path / "a", [task()], [response()], studies={"s": "samples = 3"})
    seen = write_run(tmp_path / "b", [task(study="t")], [response(study="t", sample=4)], studies={"t": ""})
    bring_in(file, declared, seen)
    with closing(open_for_reading(file)) as connection:
        assert absent_cells(connection, 10) == [("s", "c1", "output", "m", 2), ("t", "c1", "output", "m", 4)]


def test_fewer_samples_declared_anew_are_fewer_planned(file: Path, tmp_path: Path) -> None:
    bring_in(file, write_run(tmp_path / "a", [task()], [response()], studies={"s": "samples = 3"}))
    bring_in(file, write_run(tmp_path / "a", [task()], [response()], studies={"s": "samples = 1"}), replace=True)
    with closing(open_for_reading(file)) as connection:
        assert count_absent_cells(connection) == 0


# --- dry run, interruption, kill -----------------------------------------------------------------------------------


def test_a_dry_run_of_a_new_file_makes_none(file: Path, run: Path, tmp_path: Path) -> None:
    assert bring_in(file, run, dry_run=True).responses == {NEW: 8}
    assert os.listdir(tmp_path) == ["run"]


def test_a_dry_run_says_what_would_happen_and_changes_no_byte(file: Path, run: Path, tmp_path: Path) -> None:
    bring_in(file, run)
    names, before = sorted(os.listdir(tmp_path)), digest_of(file)
    more = write_run(tmp_path / "run", [task(), task("c3")], [response(response="other"), response("c3")])
    report = bring_in(file, more, dry_run=True)
    assert (report.tasks, report.responses) == ({UNCHANGED: 1, NEW: 1}, {CONFLICT: 1, NEW: 1})
    assert sorted(os.listdir(tmp_path)) == names and digest_of(file) == before


def many(tmp_path: Path, cases: int = 60_000) -> Path:
    """Write a run whose responses come in several batches."""
    lines = b"".join(json.dumps(response(f"c{n % 50}", setting=f"m{n // 50}")).encode() + b"\n" for n in range(cases))
    run = write_run(tmp_path / "many", [task(f"c{n}") for n in range(50)])
    (run / "responses.jsonl").write_bytes(lines)
    return run


def test_an_interrupted_import_keeps_whole_batches_and_goes_on(file: Path, tmp_path: Path) -> None:
    run = many(tmp_path)
    calls: list[int] = []

    def interrupt(name: str, done: int, total: int) -> None:
        calls.append(done)
        if len(calls) == 2:
            raise KeyboardInterrupt

    with pytest.raises(InterruptedWorkError, match="goes on from there"):
        load(file, [run], LoadOptions(), interrupt)
    ((kept,),) = rows(file, "SELECT count(*) FROM responses")
    assert 0 < kept < 60_000
    report = bring_in(file, run)
    assert report.responses == {UNCHANGED: kept, NEW: 60_000 - kept}
    assert rows(file, "SELECT count(*) FROM responses") == [(60_000,)]


def test_an_interrupted_dry_run_promises_nothing(file: Path, tmp_path: Path) -> None:
    def interrupt(name: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(file, [many(tmp_path)], LoadOptions(dry_run=True), interrupt)
    assert not file.exists()


def test_what_was_read_is_committed_before_the_file_ends(file: Path, tmp_path: Path) -> None:
    run = many(tmp_path)
    seen: list[int] = []

    def look(name: str, done: int, total: int) -> None:
        seen.append(rows(file, "SELECT count(*) FROM responses")[0][0])

    load(file, [run], LoadOptions(), look)
    assert any(0 < count < 60_000 for count in seen)


def test_an_import_that_fails_before_anything_is_in_leaves_no_file(file: Path, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [task()], [response()])
    (run / "tasks.jsonl").unlink()
    (run / "tasks.jsonl").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        bring_in(file, run)
    assert os.listdir(tmp_path) == ["run"]


@pytest.mark.slow
def test_after_a_kill_the_same_command_completes_the_import(file: Path, tmp_path: Path) -> None:
    run = many(tmp_path)
    command = [sys.executable, "-m", "auditor", "import", str(file), str(run)]
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < deadline:
            if file.exists() and file.stat().st_size > 0:
                time.sleep(0.05)
                process.send_signal(signal.SIGKILL)
            time.sleep(0.005)
        process.wait()
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    counts = json.loads(done.stdout)["responses"]
    assert counts["new"] + counts["unchanged"] == 60_000
    assert rows(file, "SELECT count(*) FROM responses") == [(60_000,)]
    assert rows(file, "PRAGMA integrity_check") == [("ok",)]


def test_reading_ahead_changes_nothing_about_what_comes_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [task(case, arm, study=study) for case in "abc" for arm in ("output", "other") for study in "st"]
    answers: list[Any] = [
        response(case, arm, setting, study=study, sample=n, usage={"n": n} if n else None)
        for case in "abcx"
        for arm in ("output", "other", "none")
        for setting in "mno"
        for n in range(4)
        for study in ("s", "t", "u")
    ]
    answers += [answers[0] | {"response": "changed"}, b"{", answers[1], response("a", "output", "p", sample=0)]
    run = write_run(tmp_path / "run", tasks, answers, studies={"s": "samples = 3", "t": ""})
    tables = ("settings", "planned_cells", "responses")
    reports, stored = [], []
    for name, least in (("here", 1 << 60), ("ahead", 1)):
        monkeypatch.setattr(lines_ahead, "WORTH_A_PROCESS", least)
        reports.append(bring_in(tmp_path / name, run))
        stored.append([rows(tmp_path / name, f"SELECT * FROM {table}") for table in tables])
    assert stored[0] == stored[1]
    assert reports[0] == reports[1]
    assert {*reports[0].responses} == {NEW, UNCHANGED, CONFLICT}


# --- CRUXEval ------------------------------------------------------------------------------------------------------


def cruxeval(folder: Path, count: int = 3) -> Path:
    path = folder / "cases.jsonl"
    cases = [
        {"code": f"def f(x):\n    return x + {n}\n", "input": str(n), "output": str(2 * n), "id": f"sample_{n}"}
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return path


def generations(folder: Path, name: str, ids: range, texts: list[str]) -> Path:
    path = folder / name
    path.write_text(json.dumps({f"sample_{n}": texts for n in ids}))
    return path


def test_cases_may_come_after_the_responses_on_the_command_line(file: Path, tmp_path: Path) -> None:
    answers = generations(tmp_path, "m_temp0.2_output.json", range(3), ["0", "2"])
    report = bring_in(file, answers, cruxeval(tmp_path))
    assert (report.tasks, report.responses, report.refusals) == ({NEW: 6}, {NEW: 6}, [])
    assert bring_in(file, answers).responses == {UNCHANGED: 6}


def test_responses_without_any_cases_are_refused_and_leave_no_file(file: Path, tmp_path: Path) -> None:
    answers = generations(tmp_path, "m_temp0.2_output.json", range(3), ["0"])
    with pytest.raises(InputError, match="no cases of the study 'cruxeval'"):
        bring_in(file, answers)
    assert os.listdir(tmp_path) == [answers.name]


def test_a_run_about_fewer_cases_needs_the_study_named(file: Path, tmp_path: Path) -> None:
    cases, part = cruxeval(tmp_path), generations(tmp_path, "m_temp0.2_output.json", range(2), ["0"])
    with pytest.raises(InputError, match="only a part of the 3"):
        bring_in(file, cases, part)
    assert not file.exists()
    bring_in(file, cases)
    before = digest_of(file)
    with pytest.raises(InputError, match="--study"):
        bring_in(file, part)
    assert digest_of(file) == before
    assert bring_in(file, part, study="cruxeval").responses == {NEW: 2}


def test_responses_to_a_named_study_without_cases_get_bare_tasks_that_cases_fill_in(file: Path, tmp_path: Path) -> None:
    answers = generations(tmp_path, "m_temp0.2_output.json", range(3), ["0"] * 4)
    report = bring_in(file, answers, study="other")
    assert (report.tasks, report.responses) == ({NEW: 3}, {NEW: 12})
    more = generations(tmp_path, "n_temp0.2_output.json", range(5), ["0"])
    assert bring_in(file, more, study="other").tasks == {NEW: 2}
    with closing(open_for_reading(file)) as connection:
        assert [study.policy for study in load_studies(connection)] == ["python-literal"]
    filled = bring_in(file, cruxeval(tmp_path), study="other")
    assert filled.tasks == {REPLACED: 3, NEW: 3}
    assert rows(file, "SELECT count(*) FROM responses WHERE superseded_at IS NULL") == [(17,)]


def test_a_policy_for_files_of_responses_only_is_refused(file: Path, tmp_path: Path) -> None:
    bring_in(file, cruxeval(tmp_path))
    answers = generations(tmp_path, "m_temp0.2_output.json", range(3), ["0"])
    with pytest.raises(InputError, match="responses only"):
        bring_in(file, answers, policy="bytes")


def test_real_scored_results_then_the_same_generations(file: Path, shared: Path) -> None:
    name = "gpt-3.5-turbo-0613_temp0.2_output"
    folder = shared / "data" / "cruxeval"
    scored = bring_in(file, folder / "cruxeval.jsonl", folder / "runs" / f"{name}.json")
    assert (scored.tasks, scored.responses, scored.refusals) == ({NEW: 1600}, {NEW: 8000}, [])
    plain = bring_in(file, folder / "generations" / f"{name}.generations.json")
    assert (plain.responses, plain.refusals) == ({UNCHANGED: 8000}, [])


def test_real_livecodebench_runs_are_not_taken_for_cruxeval(file: Path, shared: Path) -> None:
    bring_in(file, shared / "data" / "cruxeval" / "cruxeval.jsonl")
    runs = sorted((shared / "data" / "cruxeval_lcb" / "runs").glob("*.json"))
    before = digest_of(file)
    with pytest.raises(InputError, match="only a part of the 800"):
        bring_in(file, *runs)
    assert digest_of(file) == before
    report = bring_in(file, *runs, study="cruxeval-lcb")
    assert report.refusals == [] and report.tasks == {NEW: 479}
    ((settings,),) = rows(file, "SELECT count(*) FROM settings")
    assert (settings, report.responses[NEW]) == (3, sum(report.responses.values()))
    assert bring_in(file, *runs, study="cruxeval-lcb").responses == {UNCHANGED: report.responses[NEW]}


def test_a_folder_that_is_no_run_says_so(file: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, words in ((tmp_path / "empty", "run.toml"), (tmp_path / "missing", "there is no")):
        with pytest.raises(AuditorError, match=words):
            bring_in(file, path)
    assert not file.exists()


def test_an_audit_file_of_a_newer_version_is_refused(file: Path, run: Path) -> None:
    bring_in(file, run)
    with closing(open_file(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    for dry_run in (False, True):
        with pytest.raises(AuditFileError, match="newer"):
            bring_in(file, run, dry_run=dry_run)


# --- a folder of files ---------------------------------------------------------------------------------------------


def _cruxeval_folder(folder: Path) -> Path:
    case = {"code": "def f(x):\n    return x", "input": "1", "output": "1", "id": "sample_0"}
    files = {
        "cruxeval.jsonl": f"{json.dumps(case)}\n",
        "LICENSE": "Some text.\n",
        ".hidden/one.json": '{"sample_0": ["9"]}',
        "runs/model-a_temp0.2_output.json": '{"raw_generations": {"sample_0": ["1", "2"]}}',
        "generations/model-b+cot_temp0.8_output/generations.json": '{"sample_0": ["3"]}',
        "generations/noname.json": '{"sample_0": ["4"]}',
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    write_run(folder / "a-run", [task()], [response()])
    return folder


def test_of_a_folder_the_files_of_known_formats_are_read_and_the_others_named(tmp_path: Path) -> None:
    folder = _cruxeval_folder(tmp_path / "results")
    report = load(tmp_path / "a.db", [folder], LoadOptions())
    assert report.responses[Outcome.NEW] == 4
    assert report.notes[0] == f"{folder}: 5 files read, 1 of no known format passed over (LICENSE)."
    ((where, reason),) = [(one.where, one.reason) for one in report.refusals]
    assert where == str(folder / "generations/noname.json") and reason.startswith("its name does not say which setting")
    with closing(open_for_reading(tmp_path / "a.db")) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM settings")}
    assert names == {"model-a_temp0.2", "model-b+cot_temp0.8", "m"}


def test_a_folder_of_nothing_that_is_known_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "a.txt").write_text("nothing")
    (tmp_path / "unnamed").mkdir()
    for name in ("a.json", "b.json"):
        (tmp_path / "unnamed" / name).write_text('{"sample_0": ["4"]}')
    for name, words in (
        ("empty", "it is empty"),
        ("odd", "of its 1 file none is of a known format"),
        ("unnamed", "a.json: its name does not say which setting"),
    ):
        with pytest.raises(InputError, match=words):
            load(tmp_path / "a.db", [tmp_path / name], LoadOptions())
        assert not (tmp_path / "a.db").exists()
