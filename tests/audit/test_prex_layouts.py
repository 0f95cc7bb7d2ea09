"""The tables of PrEx against numbers worked out by hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from auditor.audit.grade import grade_file
from auditor.audit.layouts import LaidOut, lay_out
from auditor.audit.load import LoadOptions, load
from auditor.audit.prex_layouts import PREX_LAYOUTS
from auditor.audit.review import QueueWish, open_session
from auditor.audit.tabulate import accuracy
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.model import Scalar
from auditor.store.file import open_for_reading
from tests.hostile import HOSTILE
from tests.studies.prex.results import PROGRAMS, record, right_reply, write_lines

SUCCESS, UNPARSED = "<ans>##success##</ans>", "<ans>##error##</ans>"
FAR, NEXT = f"{UNPARSED}<rule>50</rule>", f"{UNPARSED}<rule>24</rule>"
BOTH = {"None": FAR, "modulo_zero": FAR, "break_outside_loop": UNPARSED}
WRONG: dict[str, dict[str, str]] = {
    # Of six programs: all right; then 4 right, one of the wrong ones with the right verdict.
    "Standard/42": {},
    "Standard/43": {"break_outside_loop": SUCCESS, "modulo_zero": NEXT},
    # 2 right in both runs: the valid one called an error, no answer, another rule, one without a number.
    "KeywordSwap/42": BOTH | {"divide_by_zero": "no idea"},
    "KeywordSwap/43": BOTH | {"divide_by_zero": ""},
}


def made(folder: Path) -> Path:
    for key, wrong in WRONG.items():
        shift, _, seed = key.partition("/")
        lines = []
        for error in PROGRAMS:
            fields = record(error, "SOS", shift)
            lines.append(fields | {"model-prediction": wrong.get(error, right_reply(fields))})
        setup = "uk" if shift == "Standard" else "mk"
        write_lines(folder / "results" / setup / "IMP-SOS" / "m-cot" / f"results-{seed}.jsonl", lines)
    file = folder / "a.db"
    load(file, [folder / "results"], LoadOptions())
    grade_file(file)
    return file


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("prex"))


def laid(audit: Path, name: str, where: str = "", policy: str | None = None) -> LaidOut:
    with closing(open_for_reading(audit)) as connection:
        return lay_out(connection, name, where, policy)


def numbers(laid_out: LaidOut, *names: str) -> list[tuple[Scalar, ...]]:
    return [tuple(one[name] for name in names) for one in laid_out.records]


def test_table_6_is_the_mean_of_the_runs_with_the_change_against_standard(audit: Path) -> None:
    found = laid(audit, "prex-table6")
    (table,) = found.tables
    assert table.title == "human-written programs (prex-human-written)"
    assert list(table.columns) == ["setting", "S Standard", "S KeywordSwap"]
    # (6/6 + 4/6) / 2 = 83.3 %; (2/6 + 2/6) / 2 = 33.3 %; six answers occur, so that a guess is right in 1 of 6.
    assert [list(row) for row in table.rows] == [
        ["Random", "16.7", "16.7 (+0.0)"],
        ["m-cot", "83.3", "33.3 (−50.0)"],
    ]
    names = ("setting", "shift", "correct", "completed", "planned", "runs")
    assert numbers(found, *names)[2:] == [("m-cot", "Standard", 10, 12, 12, 2), ("m-cot", "KeywordSwap", 4, 12, 12, 2)]
    assert found.records[3]["change"] == pytest.approx(-0.5)


def test_verdicts_alone_are_judged_by_their_policy(audit: Path) -> None:
    (table,) = laid(audit, "prex-table6", policy="verdict-only").tables
    # Standard: 6/6 and 5/6; swap: two of the four wrong ones predict the error rightly: 4/6 twice.
    assert [list(row) for row in table.rows] == [
        ["Random", "50.0", "50.0 (+0.0)"],
        ["m-cot", "91.7", "66.7 (−25.0)"],
    ]
    with closing(open_for_reading(audit)) as connection:
        judged = accuracy(connection, cols=("shift",), policy="verdict-only", replicates=100)
        graded = accuracy(connection, cols=("shift",), replicates=100)
        own = accuracy(connection, cols=("shift",), policy="verdict", replicates=100)
        assert sorted(cell.correct for cell in judged.cells) == [8, 11]
        assert [cell.correct for cell in graded.cells] == [cell.correct for cell in own.cells] == [4, 10]
        assert (judged.policy, graded.policy) == ("verdict-only", None)
        for policy, words in (("call-equals", "needs execution"), ("nothing", "no policy")):
            with pytest.raises(InputError, match=words):
                accuracy(connection, policy=policy)


def test_a_missing_run_counts_in_the_second_denominator(tmp_path: Path) -> None:
    for seed, errors in ((1, ["None", "modulo_zero"]), (2, ["None"])):
        lines = [record(error) | {"model-prediction": right_reply(record(error))} for error in errors]
        write_lines(tmp_path / "results" / "uk" / "IMP-SOS" / "m-da" / f"results-{seed}.jsonl", lines)
    file = tmp_path / "a.db"
    load(file, [tmp_path / "results"], LoadOptions())
    grade_file(file)
    # Run 1: 2 of 2; run 2: 1 of 1 completed, 1 of 2 planned: 100 %, and (1 + 1/2) / 2 = 75 %.
    assert laid(file, "prex-table6").tables[0].rows[1][1] == "100.0/75.0"


def test_final_states_have_no_chance_to_be_guessed(tmp_path: Path) -> None:
    state = "<answer><a>3045</a><b>1078</b><ans>4123</ans></answer>"
    fields = record("None") | {"ground-truth": state, "model-prediction": state}
    del fields["ans"]
    load(tmp_path / "a.db", [write_lines(tmp_path / "m-da" / "results-1.jsonl", [fields])], LoadOptions())
    grade_file(tmp_path / "a.db")
    found = laid(tmp_path / "a.db", "prex-table6")
    assert [list(row) for row in found.tables[0].rows] == [["m-da", "100.0"]] and len(found.records) == 1
    assert not any("Random" in note for note in found.notes)
    with pytest.raises(InputError, match="no task here asks for a verdict"):
        laid(tmp_path / "a.db", "prex-modes")
    with pytest.raises(InputError, match="no task here has error_type"):
        laid(tmp_path / "a.db", "prex-errors")


def test_accuracy_by_type_of_error(audit: Path) -> None:
    found = laid(audit, "prex-errors", "shift:Standard")
    (table,) = found.tables
    assert table.title == "human-written programs (prex-human-written): Standard, S-semantics"
    assert dict(zip(table.columns, table.rows[0], strict=True)) == {
        **{"setting": "m-cot", "valid": "100.0", "break_outside_loop": "50.0", "continue_outside_loop": "100.0"},
        **{"divide_by_zero": "100.0", "modulo_zero": "50.0", "var_use_before_declare": "100.0"},
    }
    assert len(found.records) == 6 and all("change" not in one for one in found.records)


def test_failures_are_counted_as_graded_and_as_the_script_names_them(audit: Path) -> None:
    found = laid(audit, "prex-modes")
    counted: dict[str, Mapping[str, str]] = {
        table.title.rpartition(": ")[2]: dict(zip(table.columns, table.rows[0], strict=True)) for table in found.tables
    }
    ours, script = counted["as graded"], counted["as PrEx's script names them"]
    shared = {"false_success": "1", "false_error": "2", "wrong_rule": "3", "unparsed_rule": "2"}
    assert ours == {"setting": "m-cot", "correct": "14", **shared, "malformed": "1", "empty": "1"} | {
        "no_response": "0",
        "ungraded": "0",
    }
    assert script == {"setting": "m-cot", "correct": "14", **shared, "malformed": "2", "other": "0"}
    near = counted["how cited rules are near the violated ones"]
    assert near == {"setting": "m-cot", "same family": "1", "adjacent number": "1", "other formalism": "0"} | {
        "no such rule": "0",
        "none of these": "2",
    }
    with pytest.raises(InputError, match="as they were graded"):
        laid(audit, "prex-modes", policy="verdict-only")


def test_one_review_takes_the_two_smallest_failures_of_each_configuration(audit: Path) -> None:
    wish = QueueWish("status:wrong split:human-written", "smallest", take=2, per=("semantics", "shift", "setting"))
    with closing(open_session(audit, "ana", wish)) as session:
        session.wait_for_rows(4)
        keys = [session.item(number).key for number in range(len(session))]
    assert sorted(key.arm for key in keys) == ["S/KeywordSwap"] * 2 + ["S/Standard"] * 2
    # Of six lines are the valid program and the division, the others have seven; of Standard two replies are wrong.
    assert {key.case for key in keys if key.arm == "S/Standard"} == {"sum/break_outside_loop", "sum/modulo_zero"}
    assert {key.case for key in keys if key.arm == "S/KeywordSwap"} <= {"sum/valid", "sum/divide_by_zero"}


@pytest.mark.parametrize("name", PREX_LAYOUTS)
def test_a_filter_that_leaves_nothing_says_so(audit: Path, name: str) -> None:
    with pytest.raises(InputError, match="matches"):
        laid(audit, name, "setting:nobody")
    with pytest.raises(InputError, match="no layout"):
        laid(audit, "nope")


def test_layouts_on_the_command_line(audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accuracy", str(audit), "--layout", "prex-table6", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["layout"] == "prex-table6" and told["policy"] is None and len(told["records"]) == 4
    assert main(["accuracy", str(audit), "--layout", "prex-table6"]) == 0
    assert "33.3 (−50.0)" in capsys.readouterr().out
    for suffix in ("csv", "md"):
        path = tmp_path / f"table.{suffix}"
        assert main(["accuracy", str(audit), "--layout", "prex-table6", "-o", str(path)]) == 0
        assert main(["accuracy", str(audit), "--layout", "prex-table6", "-o", str(path)]) == 2
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["setting"] for row in rows] == ["Random", "Random", "m-cot", "m-cot"]
    assert "| m-cot | 83.3 | 33.3 (−50.0) |" in (tmp_path / "table.md").read_text(encoding="utf-8")
    for wrong in (["--rows", "arm"], ["--seed", "1"], ["-o", "t.txt"]):
        assert main(["accuracy", str(audit), "--layout", "prex-table6", *wrong]) == 2


def test_hostile_names_are_made_visible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [text for text in HOSTILE.values() if 0 < len(text) < 200 and text.strip()]
    keys = ("dataset-source", "src-filename", "model-prediction")
    lines = [record("None", **dict.fromkeys(keys, text)) for text in names]
    path = write_lines(tmp_path / "lines.jsonl", lines)
    file = tmp_path / "a.db"
    load(file, [path], LoadOptions(study="s", setting="\x1b[31mred"))
    grade_file(file)
    for name in PREX_LAYOUTS:
        assert main(["accuracy", str(file), "--layout", name, "-o", str(tmp_path / f"{name}.md")]) == 0
        assert main(["accuracy", str(file), "--layout", name]) == 0
        assert "\x1b" not in capsys.readouterr().out + (tmp_path / f"{name}.md").read_text(encoding="utf-8")
