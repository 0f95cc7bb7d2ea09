"""The tables of CoRE over audit files that are small enough to work them out by hand."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from auditor.analysis import NOTHING_VARIES, Resampling
from auditor.audit.core_layouts import CORE_LAYOUTS
from auditor.audit.grade import grade_file
from auditor.audit.invalidate import set_validity
from auditor.audit.layouts import LaidOut, lay_out
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import QueueWish, open_session
from auditor.audit.tabulate import accuracy
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.file import open_for_reading
from auditor.store.filter import LIVE, Vocabulary
from auditor.store.selection import matching_responses
from tests.hostile import HOSTILE
from tests.runs import write_run
from tests.studies.core.toy import STUDY, Name, output_task, probe_task, write_toy

Wrong = Mapping[tuple[str, int], Mapping[Name, str | None]]
WRONG: Wrong = {
    # Setting a: one output of p's terse implementation is wrong; of q one probe is, and one has no row.
    ("a", 0): {("p", "terse", "2"): "9", ("q", "1"): "8", ("q", "2"): "absent"},
    # Setting b, twice: outputs are right but for a non-response; all probes of p are wrong, then all are right.
    ("b", 0): {("q", "loops", "1"): None, ("p", "1"): "8", ("p", "2"): "8", ("p", "3"): "8"},
    ("b", 1): {},
}


def made(folder: Path, wrong: Wrong = WRONG, studies: tuple[str, str] = ("core", "core")) -> Path:
    load(folder / "a.db", [write_toy(folder / "run", wrong, studies=studies)], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("core"))


def laid(audit: Path, name: str, where: str = "", policy: str | None = None) -> LaidOut:
    with closing(open_for_reading(audit)) as connection:
        return lay_out(connection, name, where, policy, Resampling(replicates=200))


def values(laid_out: LaidOut, *names: str) -> dict[tuple[Scalar, ...], Scalar]:
    return {tuple(one[name] for name in names): one["value"] for one in laid_out.records}


MEASURED = {
    # a: p has I 0, I_s 1/2, W 1, W_s 1; q has I 1, I_s 1, W 0, W_s 1/3.
    "a": {"I": 1 / 2, "I_s": 3 / 4, "W": 1 / 2, "W_s": 2 / 3, "RCS": 1 / 6}
    | {"Cons(I, W_s)": (0 + 5 / 9) / 2, "Cons(I, W)": 0},
    # b: p has 1 1 0 0 and then 1 1 1 1; q has 0 1/2 1 1 and then 1 1 1 1.
    "b": {"I": 3 / 4, "I_s": 7 / 8, "W": 3 / 4, "W_s": 3 / 4, "RCS": 1 / 2}
    | {"Cons(I, W_s)": 1 / 2, "Cons(I, W)": 1 / 2},
}


@pytest.mark.parametrize("studies", [("core", "core"), ("core-outputs", "core-probes")])
def test_table_1(audit: Path, tmp_path: Path, studies: tuple[str, str]) -> None:
    found = laid(audit if studies[0] == "core" else made(tmp_path, studies=studies), "core-table1")
    expected = {(setting, name): value for setting, row in MEASURED.items() for name, value in row.items()}
    assert values(found, "setting", "measure") == pytest.approx(expected)
    assert {(one["setting"], one["repetitions"]) for one in found.records} == {("a", 1), ("b", 2)}
    assert all(one["problems"] == 2 for one in found.records)
    # Where both problems have the same value nothing varies, and there is no interval.
    alike = {(one["setting"], one["measure"]) for one in found.records if one["ci_low"] is None}
    assert alike == {("a", "Cons(I, W)"), ("b", "Cons(I, W)"), ("b", "Cons(I, W_s)"), ("b", "RCS")}
    assert {one["reason"] for one in found.records if one["ci_low"] is None} == {NOTHING_VARIES}
    table, intervals, overall = found.tables
    assert list(overall.columns) == ["setting", "RCS", "Cons(I, W_s)", "Cons(I, W)"]
    assert list(table.rows[0]) == ["a", "50.00", "75.00", "50.00", "66.67", "16.67", "0.28", "0.00"]
    assert list(intervals.rows[0])[:3] == ["a", "0.00\u2013100.00", "50.00\u2013100.00"]
    assert (
        found.notes[0] == "2 problems; the mean of 1 to 2 repetitions each. What has no reply counts as wrong: 2 of 42."
    )
    assert any("1 - MSE(I, W) is what its printed table agrees with" in note for note in found.notes)


def test_every_problem(audit: Path) -> None:
    found = laid(audit, "core-problems")
    assert [table.title for table in found.tables] == ["a", "b"]
    assert [list(row) for row in found.tables[0].rows] == [
        ["p", "0.00", "50.00", "100.00", "100.00", "0.00", "0.00", "0.00"],
        ["q", "100.00", "100.00", "0.00", "33.33", "33.33", "0.56", "0.00"],
    ]
    assert values(found, "setting", "problem", "measure")["b", "q", "I_s"] == 3 / 4


def test_table_2_in_both_readings(audit: Path) -> None:
    found = laid(audit, "core-table2")
    read = values(found, "setting", "dimension", "reading")
    # a: of p all are right; of q the wrong and the missing one carry arithmetic, the missing one logic too.
    assert {key[1:]: value for key, value in read.items() if key[0] == "a"} == {
        **{("arithmetic", "pooled"): 0.5, ("logic", "pooled"): 0.5, ("state", "pooled"): 1},
        **{("arithmetic", "by problem"): 0.5, ("logic", "by problem"): 0.5, ("state", "by problem"): 1},
    }
    assert read["b", "arithmetic", "pooled"] == 3 / 4 and found.records[0]["probes"] == 4
    assert [list(row) for row in found.tables[0].rows] == [
        ["a", "50.00", "50.00", "100.00"],
        ["b", "75.00", "75.00", "75.00"],
        ["Average", "62.50", "62.50", "87.50"],
    ]


def test_heat_map_of_families(audit: Path) -> None:
    found = laid(audit, "core-heatmap")
    read = values(found, "kind", "setting_family", "implementation_family")
    # a fails on the terse implementation of p; b on the one with loops of q, in one of two repetitions.
    assert read == {
        ("cell", "loops", "loops"): 1,
        ("cell", "loops", "terse"): 1 / 2,
        ("cell", "terse", "loops"): 3 / 4,
        ("cell", "terse", "terse"): 1,
        ("advantage", None, None): 1 - 5 / 8,
    }
    (table,) = found.tables
    assert [list(row) for row in table.rows] == [["loops", "100.00", "50.00"], ["terse", "75.00", "100.00"]]
    assert table.shaded is not None and list(table.shaded[0]) == ["loops", "██100.00=", "▒▒▒50.00▒"]
    assert "+37.50 points" in found.notes[0]
    one = laid(audit, "core-heatmap", "setting:a")
    assert "at least two families" in one.notes[0]


def test_exposure(audit: Path) -> None:
    found = laid(audit, "core-exposure")
    assert [(one["tests"], one["mean"]) for one in found.records] == [(1, 0.5), (2, 1.0)]
    assert "2 failing pairs" in found.notes[0]
    assert found.drawing[-1].startswith("2  ····") and "●" in found.drawing[1]
    with pytest.raises(InputError, match="no setting fails"):
        laid(audit, "core-exposure", "setting:b sample:1")


def test_a_setting_without_a_reply_to_any_probe_of_an_arm_was_asked_it_all_the_same(tmp_path: Path) -> None:
    absent: dict[Name, str | None] = {(problem, "3"): "absent" for problem in "pq"}
    file = made(tmp_path, {("a", 0): {}, ("b", 0): absent})
    assert values(laid(file, "core-table1"), "setting", "measure")["b", "W_s"] == pytest.approx(2 / 3)
    # What a run planned was asked, also where a setting gave nothing; outputs alone have no W_s, and no RCS.
    none: dict[Name, str | None] = {(problem, one): "absent" for problem in "pq" for one in "123"}
    (tmp_path / "other").mkdir()
    file = made(tmp_path / "other", {("a", 0): {}, ("b", 0): none})
    assert values(laid(file, "core-table1"), "setting", "measure")["b", "W_s"] == 0
    found = laid(file, "core-table1", "target:output")
    assert values(found, "setting", "measure")["b", "W_s"] is None
    left = "W, W_s, RCS, Cons(I, W_s), Cons(I, W) of a, b leave out 2 problems: The problem has no probes."
    assert [note for note in found.notes if "leave" in note and note.startswith("W")] == [left]


def test_a_setting_that_replied_counts_whatever_a_run_planned(audit: Path, tmp_path: Path) -> None:
    run = write_toy(tmp_path / "run", WRONG)
    arms = ("output", *(f"probe/{probe}" for probe in "123"))
    with (run / "run.toml").open("a", encoding="utf-8") as file:
        file.writelines(f'[[planned]]\nstudy = "core"\narm = "{arm}"\nsetting = "a"\nsamples = 1\n' for arm in arms)
    load(tmp_path / "a.db", [run], LoadOptions())
    grade_file(tmp_path / "a.db")
    for name in ("core-table1", "core-heatmap", "core-exposure"):
        assert laid(tmp_path / "a.db", name).records == laid(audit, name).records
    assert laid(tmp_path / "a.db", "core-table1", "sample:1").records == laid(audit, "core-table1", "sample:1").records


def test_filters_leave_parts_and_invalid_predictions_count_nowhere(audit: Path, tmp_path: Path) -> None:
    assert values(laid(audit, "core-table1", "problem:q"), "setting", "measure")["a", "W_s"] == pytest.approx(1 / 3)
    assert values(laid(audit, "core-table1", "sample:1"), "setting", "measure")["b", "RCS"] == 1
    only = values(laid(audit, "core-table1", "target:output test:1"), "setting", "measure")
    assert only["a", "I"] == 1 and only["a", "RCS"] is None
    file = made(tmp_path)
    with closing(open_for_reading(file)) as connection:
        assert connection.execute("SELECT count(*) FROM grades WHERE status = 'wrong-valid'").fetchone() == (5,)
    set_validity(file, "ana", "setting:a status:wrong target:output", "the test was misprinted")
    found = laid(file, "core-table1", "setting:a")
    # Its other test is right, so that the implementation is.
    assert values(found, "measure")[("I",)] == 1 and found.notes[-1].endswith("asked there: 1.")


def test_what_cannot_be_measured_says_why(audit: Path, tmp_path: Path) -> None:
    for name in CORE_LAYOUTS:
        for where, words in (
            ("status:wrong", "what only replies have"),
            ("setting:nobody", "matches 'setting:nobody'"),
            ("invalid:yes", "what only replies have"),
        ):
            with pytest.raises(InputError, match=words):
                laid(audit, name, where)
    with pytest.raises(InputError, match="no probe here has a dimension"):
        laid(audit, "core-table2", "target:output")
    load(tmp_path / "a.db", [write_toy(tmp_path / "run", WRONG)], LoadOptions())
    with pytest.raises(InputError, match="27 answers to outputs and probes are not graded"):
        laid(tmp_path / "a.db", "core-table1", "setting:b")
    load(tmp_path / "a.db", [write_toy(tmp_path / "again", WRONG, studies=("other", "other"))], LoadOptions())
    grade_file(tmp_path / "a.db")
    with pytest.raises(InputError, match=r"core / output and other / output both have the same output"):
        laid(tmp_path / "a.db", "core-table1")
    assert laid(tmp_path / "a.db", "core-table1", "study:other").records


def test_replies_are_judged_by_another_policy(audit: Path) -> None:
    # Only a trailing newline would tell the replies from the oracles.
    assert "policy bytes" in laid(audit, "core-table1", policy="bytes").notes[-1]
    assert values(laid(audit, "core-table1", policy="bytes"), "setting", "measure")["b", "W_s"] == 3 / 4


def test_layouts_on_the_command_line(audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(audit), "--layout", "core-table1", "--replicates", "100", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["records"]) == 14 and told["records"][0]["replicates"] == 100
    for name in CORE_LAYOUTS:
        assert main(["accuracy", str(audit), "--layout", name]) == 0
        assert len(capsys.readouterr().out.splitlines()) > 5
        for suffix in ("csv", "md", "tex"):
            path = tmp_path / f"{name}.{suffix}"
            assert main(["accuracy", str(audit), "--layout", name, "-o", str(path)]) == 0 and path.stat().st_size
    rows = list(csv.DictReader((tmp_path / "core-heatmap.csv").read_text(encoding="utf-8").splitlines()))
    assert float(rows[-1]["value"]) == 0.375
    assert "| loops | 100.00 | 50.00 |" in (tmp_path / "core-heatmap.md").read_text(encoding="utf-8")
    assert main(["accuracy", str(audit), "--layout", "core-problems", "--seed", "1"]) == 2
    assert "--seed does not go with" in capsys.readouterr().err
    assert main(["accuracy", str(audit), "--layout", "core-table9"]) == 2
    assert "Did you mean core-table" in capsys.readouterr().err


@pytest.mark.parametrize("studies", [("core", "core"), ("core-outputs", "core-probes")])
def test_superficial_execution_is_a_right_output_with_a_wrong_probe(tmp_path: Path, studies: tuple[str, str]) -> None:
    wrong: Wrong = {
        ("a", 0): {("p", "1"): "8", ("q", "1"): "absent"},
        # In the first repetition the output of p is wrong as well, in the second a probe that was not answered is.
        ("b", 0): {("p", "loops", "1"): "9", ("p", "2"): "8"},
        ("b", 1): {("p", "2"): None, ("q", "3"): "8"},
    }
    file = made(tmp_path, wrong, studies)
    with closing(open_for_reading(file)) as connection:
        dimension = Vocabulary(connection).dimension("superficial").text
        rows = connection.execute(
            f"SELECT g.name, r.sample, t.problem, t.arm, {dimension} FROM {LIVE} WHERE t.test = '1'"
            " AND t.implementation = 'loops' ORDER BY r.id"
        ).fetchall()
        assert len(matching_responses(connection, "superficial:yes target:probe status:wrong")) == 2
        assert {table.col for table in accuracy(connection, cols=("superficial",), replicates=100).cells} == {
            *((None,), ("no",), ("yes",))
        }
        # Other implementations of the problem have no probe, so that nothing is known of them.
        assert not matching_responses(connection, "superficial:yes,no implementation:terse")
        with pytest.raises(InputError, match="there is no superficial 'maybe'"):
            matching_responses(connection, "superficial:maybe")
    told = {(setting, sample, problem): value for setting, sample, problem, _, value in rows}
    assert told == {
        **{("a", 0, "p"): "yes", ("a", 0, "q"): "no", ("b", 0, "p"): None},
        **{("b", 0, "q"): "no", ("b", 1, "p"): "no", ("b", 1, "q"): "yes"},
    }
    assert len({(row[:3], row[4]) for row in rows}) == 6
    counted = laid(file, "core-superficial").records
    assert [(one["setting"], one["wrong"], one["answered"]) for one in counted] == [("a", 1, 5), ("b", 1, 8)]
    with pytest.raises(InputError, match="no probe of a run is answered"):
        laid(file, "core-superficial", "setting:b problem:p sample:0")
    with pytest.raises(InputError, match="as answers were graded"):
        laid(file, "core-superficial", policy="bytes")
    with closing(open_session(file, "ana", QueueWish("superficial:yes target:probe status:wrong"))) as session:
        session.wait_for_rows(2)
        assert [session.item(at).key.arm for at in range(len(session))] == ["probe/1", "probe/3"]
    set_validity(file, "ana", "setting:a problem:p arm:probe/1", "the question was misprinted")
    with closing(open_for_reading(file)) as connection:
        assert not matching_responses(connection, "superficial:yes setting:a")


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "core-results.md").read_text(encoding="utf-8")
    made(tmp_path).rename(tmp_path / "audit.db")
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for line in re.findall(r"^    auditor (.*)$", page, re.MULTILINE)]
    assert len(commands) >= 8
    of_here = {"ITEM": "core/p%2Fterse%2F1/output/a/0", "recursive": "loops"}
    for command in commands:
        assert main([of_here.get(word, word) for word in command]) == 0, command
    assert [name for name in CORE_LAYOUTS if f"`{name}`" not in page] == []


def _few(name: str) -> list[str]:
    return ["--replicates", "100"] if CORE_LAYOUTS[name].resamples else []


def test_hostile_names_are_made_visible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [text for text in HOSTILE.values() if 0 < len(text) < 200 and text.strip()]
    tasks, replies = [], []
    for at, name in enumerate(names):
        tasks += [output_task(name, name, name), probe_task(name, str(at), [name])]
    for task in tasks:
        about = {key: task[key] for key in ("study", "case", "arm")}
        replies.append(about | {"setting": "\x1b[31mred", "sample": 0, "response": "no"})
    settings = [{"setting": "\x1b[31mred", "facets": {"family": "\x1b]0;x\x07"}}]
    run = write_run(tmp_path / "run", tasks, replies, settings, studies={"core": STUDY})
    load(tmp_path / "a.db", [run], LoadOptions())
    grade_file(tmp_path / "a.db")
    for name in CORE_LAYOUTS.keys() - {"core-superficial"}:  # no output is right, so that nothing lies behind one
        assert main(["accuracy", str(tmp_path / "a.db"), "--layout", name, *_few(name)]) == 0
        assert (
            main(
                ["accuracy", str(tmp_path / "a.db"), "--layout", name, "-o", str(tmp_path / f"{name}.md"), *_few(name)]
            )
            == 0
        )
        assert "\x1b" not in capsys.readouterr().out + (tmp_path / f"{name}.md").read_text(encoding="utf-8")
