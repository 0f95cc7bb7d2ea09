"""Every command through the front door: what it prints, and that JSON is one document and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.review import MarkReviewed, ToggleTag, open_session
from auditor.cli.main import main
from auditor.text import has_invisible
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command and return its exit code, stdout and stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def audit(tmp_path: Path) -> Path:
    """Return a graded and partly reviewed audit file."""
    path = make_audit(tmp_path / "a.db", replies={(0, "output", "model-a"): "right", (1, "state", "model-b"): None})
    for who in ("ana", "ben"):
        with closing(open_session(path, who)) as session:
            session.submit(2, ToggleTag("copying"))
            session.submit(2, MarkReviewed())
            session.submit(3, MarkReviewed())
    return path


def loaded(run: Run, *arguments: object, code: int = 0) -> Any:
    """Run with --json: stdout is exactly one document, stderr is empty."""
    found, out, err = run(*arguments, "--json")
    assert (found, err) == (code, "")
    assert out.endswith("\n")
    return json.loads(out)


def test_import_counts_what_became_of_the_records(run: Run, tmp_path: Path) -> None:
    source = write_run(tmp_path / "run", [task()], [response(), response("c9")])
    file = tmp_path / "a.db"
    code, out, err = run("import", file, source)
    assert code == 1
    assert out.splitlines() == [
        "tasks:     1 new, 0 unchanged, 0 replaced",
        "responses: 1 new, 0 unchanged, 0 replaced",
    ]
    assert err.splitlines() == ["1 refused:", "  responses.jsonl:2: the study 's' has no case 'c9'."]
    found = loaded(run, "import", file, source, code=1)
    assert found["responses"] == {"new": 0, "unchanged": 1, "replaced": 0, "conflict": 0}
    assert found["refused"] == [{"where": "responses.jsonl:2", "reason": "the study 's' has no case 'c9'."}]


def test_a_dry_run_says_that_nothing_was_changed(run: Run, tmp_path: Path) -> None:
    source = write_run(tmp_path / "run", [task()], [response()])
    code, out, _ = run("import", tmp_path / "a.db", source, "--dry-run")
    assert code == 0 and "Dry run: nothing was changed." in out
    assert loaded(run, "import", tmp_path / "a.db", source, "--dry-run")["dry_run"] is True
    assert not (tmp_path / "a.db").exists()


def test_many_refusals_are_cut_on_a_terminal_and_whole_in_json(run: Run, tmp_path: Path) -> None:
    source = write_run(tmp_path / "run", [task()], [response(f"x{n}") for n in range(30)])
    _, _, err = run("import", tmp_path / "a.db", source)
    assert err.splitlines()[0] == "30 refused:" and err.splitlines()[-2:] == ["  … and 10 more.", "  --json lists all."]
    assert len(loaded(run, "import", tmp_path / "a.db", source, code=1)["refused"]) == 30


def test_refusals_for_one_reason_are_one_line(run: Run, tmp_path: Path) -> None:
    tasks = [task(), {**task("c2"), "target": 5}]
    answers = [response("c2", setting=f"m{n}") for n in range(30)]
    _, _, err = run("import", tmp_path / "a.db", write_run(tmp_path / "run", tasks, answers))
    assert err.splitlines() == [
        "31 refused:",
        "  tasks.jsonl:2: target is the number 5, but must be text.",
        "  responses.jsonl:1 and 29 more: the study 's' has no case 'c2'.",
        "  --json lists all.",
    ]


def test_grade_prints_statuses_modes_and_what_is_absent(run: Run, audit: Path) -> None:
    found = loaded(run, "grade", audit)
    assert list(found)[:8] == [
        "responses",
        "graded",
        "statuses",
        "modes",
        "extractions",
        "non_literal",
        "disputed",
        "absent_cells",
    ]
    assert found["statuses"] == {"wrong-valid": 14, "correct-valid": 1, "no-response": 1}
    assert (found["responses"], found["graded"], found["non_literal"], found["absent_cells"]) == (16, 16, 0, 0)
    code, out, err = run("grade", audit)
    assert (code, err) == (0, "")
    assert "wrong-valid           14" in out and "16 of 16 responses graded; 0 planned cells have no row." in out


def test_grade_compares_with_another_policy(run: Run, tmp_path: Path) -> None:
    source = write_run(tmp_path / "run", [task(oracle="1 2\n")], [response(response="1,2"), response(setting="n")])
    run("import", tmp_path / "a.db", source)
    found = loaded(run, "grade", tmp_path / "a.db", "--compare", "int-alpha-tokens")
    assert found["compare"] == {
        "policy": "int-alpha-tokens",
        "compared": 2,
        "correct_to_wrong": 0,
        "wrong_to_correct": 1,
        "items": [{"item": "s/c1/output/m/0", "verdict": "wrong"}],
    }
    _, out, _ = run("grade", tmp_path / "a.db", "--compare", "int-alpha-tokens")
    assert "Under int-alpha-tokens, 1 of 2 verdicts differ (nothing was changed)" in out
    assert "s/c1/output/m/0  wrong to correct" in out


def test_grade_says_where_logged_verdicts_differ_and_that_another_policy_changes_nothing(
    run: Run, tmp_path: Path
) -> None:
    answers = [response(logged_correct=True), response(setting="n", logged_correct=False)]
    run("import", tmp_path / "a.db", write_run(tmp_path / "run", [task()], answers))
    found = loaded(run, "grade", tmp_path / "a.db")
    assert (found["logged"], found["logged_differs"], found["logged_non_literal"]) == (2, ["s/c1/output/n/0"], 0)
    _, out, _ = run("grade", tmp_path / "a.db", "--compare", "bytes")
    lines = out.splitlines()
    assert "2 responses came with a logged verdict: 1 graded otherwise:" in lines and "  s/c1/output/n/0" in lines
    assert lines[-1] == "Under bytes, none of 2 verdicts differs (nothing was changed)." and "to wrong" not in out


def test_accuracy_prints_both_denominators(run: Run, audit: Path) -> None:
    found = loaded(run, "accuracy", audit)
    assert found["rows"] == ["model-a", "model-b"] and found["cols"] == ["output", "state"]
    cells = {(cell["row"], cell["col"]): cell for cell in found["cells"]}
    cell = cells["model-b", "state"]
    assert (cell["correct"], cell["completed"], cell["planned"]) == (0, 3, 4)
    assert (cell["completed_accuracy"], cell["planned_accuracy"], cell["ci_method"]) == (0.0, 0.0, "wilson")
    assert cells["model-a", "output"]["planned_ci"] == pytest.approx([0.0456, 0.6994], abs=1e-4)
    code, out, _ = run("accuracy", audit)
    assert code == 0 and "25.0/25.0 [4.6\u201369.9] n=4" in out and "seed 20261011" in out
    assert loaded(run, "accuracy", audit, "--rows", "case,arm", "--cols", "")["cols"] == [None]


def test_a_table_says_why_it_has_no_rows_or_no_rates(run: Run, tmp_path: Path) -> None:
    run("import", tmp_path / "a.db", write_run(tmp_path / "run", [task()], [response()]))
    code, out, _ = run("accuracy", tmp_path / "a.db")
    assert code == 0 and "m        undefined n=1" in out and f"Run: auditor grade {tmp_path / 'a.db'}" in out
    code, out, err = run("accuracy", tmp_path / "a.db", "--where", "case:none")
    assert (code, out) == (2, "") and "no response and no planned cell matches 'case:none'." in err
    run("grade", tmp_path / "a.db")
    _, out, _ = run("accuracy", tmp_path / "a.db", "--rows", "", "--cols", "")
    assert out.splitlines()[0].strip() == "accuracy" and out.splitlines()[2] == "100.0/100.0 [20.7\u2013100.0] n=1"


def test_transitions_print_counts_and_the_interval(run: Run, audit: Path) -> None:
    found = loaded(run, "transitions", audit, "--from", "arm:output", "--to", "arm:state", "--replicates", "200")
    assert (found["pairs"], found["clusters"]) == (7, 4)
    assert (found["correct_to_wrong"], found["wrong_to_correct"]) == (1, 0)
    assert found["difference"] == pytest.approx(100 / 7)
    assert (found["replicates"], found["seed"]) == (200, 20_261_011) and found["ci_low"] <= found["ci_high"]
    code, out, _ = run("transitions", audit, "--from", "arm:output", "--to", "arm:state")
    assert code == 0 and "Pairs: 7. Clusters: 4. Replies without a partner: 1." in out
    assert "Difference, from minus to: +14.29 points, 95 % interval [" in out


def test_absent_values_are_named_and_filters_by_outcome_are_noted(run: Run, tmp_path: Path) -> None:
    tasks = [task("c1"), task("c2", facets={"kind": ""})]
    run("import", tmp_path / "a.db", write_run(tmp_path / "run", tasks, [response("c1"), response("c2")]))
    run("grade", tmp_path / "a.db")
    _, out, _ = run("accuracy", tmp_path / "a.db", "--rows", "kind", "--cols", "mode", "--where", "status:correct")
    lines = out.splitlines()
    assert lines[0].split("  ")[-1].strip() == "(no mode)" and lines[2].startswith('""  ')
    assert lines[3].startswith("(no kind)  ") and "Note: The filter picks responses by how they were graded" in out


def test_info_and_verify(run: Run, audit: Path) -> None:
    found = loaded(run, "info", audit)
    assert [study["name"] for study in found["studies"]] == ["demo"]
    assert [who["name"] for who in found["annotators"]] == ["ana", "ben"]
    code, out, _ = run("info", audit)
    assert code == 0 and "demo" in out and "ana" in out
    assert loaded(run, "verify", audit)["ok"] is True
    assert run("verify", audit)[0] == 0


def test_info_lists_settings_codebooks_and_absent_cells(run: Run, tmp_path: Path) -> None:
    cases = [f"c{n}" for n in range(12)]
    answers = [response("c0", setting=f"m{n}") for n in range(25)]
    source = write_run(
        tmp_path / "run", [task(case) for case in cases], answers, studies={"s": 'samples = 2\ncodebook = "prex"'}
    )
    assert run("import", tmp_path / "a.db", source)[0] == 0
    found = loaded(run, "info", tmp_path / "a.db")
    assert found["absent_cells"] == 25 * (12 * 2 - 1) == sum(cell["samples"] for cell in found["absent"])
    assert found["absent"][0] == {"study": "s", "case": "c0", "arm": "output", "setting": "m0", "samples": 1}
    code, out, err = run("info", tmp_path / "a.db")
    lines = out.splitlines()
    assert (code, err) == (0, "") and "25 settings:" in lines and "  m19" in lines and "  m20" not in lines
    assert "Codebooks: declared prex; in use none." in lines and "  … and 5 more; --json lists all." in lines
    at = lines.index("575 planned cells without a row:")
    assert lines[at + 1 : at + 3] == ["  s/c0/output/m0", "  s/c1/output/m0 (2 samples)"]
    assert lines[-1] == "  … and 556 more; --json lists all."


def test_verify_fails_with_1_when_the_file_was_changed(run: Run, audit: Path) -> None:
    import sqlite3

    with closing(sqlite3.connect(audit, isolation_level=None)) as connection:
        connection.execute("DELETE FROM applied_tags")
    assert loaded(run, "verify", audit, code=1)["ok"] is False
    code, out, _ = run("verify", audit)
    assert code == 1 and "NO  the history gives the current states" in out


def test_agreement_and_tags_take_the_same_file(run: Run, audit: Path) -> None:
    assert loaded(run, "agreement", audit, "--replicates", "200")["coefficients"]
    assert len(loaded(run, "tags", "list", audit)["tags"]) == 4


def test_agreement_can_be_measured_on_what_a_filter_leaves(run: Run, audit: Path) -> None:
    found = loaded(run, "agreement", audit, "--where", "setting:model-a", "--statistic", "percent")
    assert found["where"] == "setting:model-a" and {one["n_items"] for one in found["coefficients"]} == {1}
    assert {one["n_items"] for one in loaded(run, "agreement", audit)["coefficients"]} == {2}
    _, out, _ = run("agreement", audit, "--where", "arm:output")
    assert "Only items that this filter leaves: arm:output" in out.splitlines()
    code, out, err = run("agreement", audit, "--where", "arm:outptu")
    assert (code, out) == (2, "") and "Did you mean arm:output?" in err


def test_agreement_takes_a_codebook_s_file_as_review_does(run: Run, audit: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text((files("auditor") / "codebooks" / "execution.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    by_file = loaded(run, "agreement", audit, "--codebook", path)
    assert by_file == loaded(run, "agreement", audit, "--codebook", "execution")


def test_demo_without_a_terminal_prints_the_sample(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo")
    assert (code, err) == (0, "") and "simulated/off-by-one" in out
    assert os.listdir(tmp_path) == ["auditor-demo.db"]


def test_the_demo_of_core_prints_a_table_that_a_terminal_shows(run: Run, tmp_path: Path) -> None:
    code, out, err = run("demo", "core", "--file", str(tmp_path / "core.db"), "--quiet")
    assert code == 0, err
    head, *_ = out.splitlines()
    assert head.split() == ["setting", "output", "probe"] and len(head) <= 100


def test_a_review_needs_a_terminal(run: Run, audit: Path) -> None:
    code, _, err = run("review", audit, "--annotator", "ana")
    assert code == 2 and "needs a terminal" in err


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "lone low surrogate"])
def test_no_command_prints_a_raw_control_character(run: Run, tmp_path: Path, name: str) -> None:
    text = HOSTILE[name]
    tasks = [task(text, text, facets={"f": text})]
    answers = [response(text, text, text), response(text, text, text, sample=1), response(text + "?", text, text)]
    study = text if not any("\ud800" <= c <= "\udfff" for c in text) else "s"
    for record in [*tasks, *answers]:
        record["study"] = study
    folder = tmp_path / ("x" + "".join(c for c in text[:20] if c not in "/\0" and not "\ud800" <= c <= "\udfff"))
    source = write_run(folder, tasks, answers, studies={study: ""})
    file = tmp_path / "a.db"
    commands: list[tuple[object, ...]] = [
        ("import", file, source),
        ("grade", file),
        ("grade", file, "--compare", "bytes"),
        ("accuracy", file, "--rows", "study,case,f", "--cols", "arm,setting"),
        ("info", file),
        ("verify", file),
        ("transitions", file, "--from", "sample:0", "--to", "sample:1"),
        ("import", file, tmp_path / (folder.name + "missing")),
        ("accuracy", file, "--where", text or "x"),
        ("accuracy", file, "--rows", text or "x"),
        ("grade", file, "--policy", text),
    ]
    for command in commands:
        code, out, err = run(*command)
        assert code in (0, 1, 2)
        for line in (out + err).split("\n"):
            assert not has_invisible(line.replace("\t", "")), (command, line)
        assert "should not have happened" not in err


def in_subprocess(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "auditor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **more)


def test_progress_is_for_terminals_only(audit: Path) -> None:
    done = in_subprocess("grade", audit)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_that_knows_only_ascii_gets_escapes(audit: Path) -> None:
    done = in_subprocess("accuracy", audit, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "\\u2500" in done.stdout
