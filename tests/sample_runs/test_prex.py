"""The sample run `prex`: its planted faults come out in modes and tables, and its maker writes the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.demo import make_demo
from auditor.audit.inspect import info
from auditor.cli.main import main
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.rules import Formalism
from tests.sample_runs.run_directory import SAMPLES

RUN = SAMPLES / "prex"
Record = dict[str, Any]
OTHER = {73: 34, 34: 73, 76: 31, 31: 76, 19: 7, 7: 19, 23: 9, 9: 23, 2: 2}
"""The rules of the paper's Table 5, and their numbers in the other semantics."""


def lines(name: str) -> list[Record]:
    return [json.loads(line) for line in (RUN / name).read_text(encoding="utf-8").splitlines()]


@cache
def tasks() -> dict[tuple[str, str, str], Record]:
    return {(task["study"], task["case"], task["arm"]): task for task in lines("tasks.jsonl")}


def rule_of(task: Record) -> int | None:
    rule = task["oracle"].get("rule")
    return int(rule.removeprefix("Rule ")) if rule else None


def mode_of(violated: int | None, cited: int | None) -> str:
    """Say what the specification calls an answer that can be read."""
    if cited == violated:
        return "correct"
    if violated is None:
        return "false_error"
    return "false_success" if cited is None else "wrong_rule"


def expected_mode(setting: str, task: Record, reply: str) -> str:
    """Return the mode that follows from what the setting's fault is said to be; `reply` decides the malformed ones."""
    violated = rule_of(task)
    match setting.removeprefix("simulated/"):
        case "rule-following":
            return "correct"
        case "optimist":
            return mode_of(violated, None)
        case "off-by-one-rule":
            return mode_of(violated, violated + 1 if violated else None)
        case "other-semantics":
            return mode_of(violated, OTHER[violated] if violated else None)
        case "malformed":
            if "##" not in reply:
                return "malformed"
            return "unparsed_rule" if violated and "<rule>" not in reply else "correct"
        case "prior-following":
            if task["facets"]["shift"] != "KeywordSwap":
                return "correct"
            read = run(parse(task["source"]), Formalism(task["facets"]["semantics"]), 100_000)
            return mode_of(violated, read.rule)
    raise AssertionError(setting)


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("prex") / "demo.db"
    make_demo(path, "prex")
    return path


def test_every_planted_fault_comes_out_as_its_mode(audit: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    assert main(["export", "responses", str(audit), "-o", str(out), "--quiet"]) == 0
    graded = {
        (row["study"], row["case"], row["arm"], row["setting"]): row["mode"]
        for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())
    }
    modes: Counter[tuple[str, str]] = Counter()
    for response in lines("responses.jsonl"):
        key = response["study"], response["case"], response["arm"]
        expected = expected_mode(response["setting"], tasks()[key], response["response"])
        assert graded[(*key, response["setting"])] == expected
        assert (response["planted"] or "correct").partition(":")[0] == expected
        modes[response["setting"], expected] += 1
    errors, valid = 360, 72
    assert modes["simulated/optimist", "false_success"] == errors
    assert modes["simulated/off-by-one-rule", "wrong_rule"] == errors
    assert modes["simulated/other-semantics", "wrong_rule"] == errors * 4 // 5
    assert modes["simulated/rule-following", "correct"] == errors + valid
    assert modes["simulated/prior-following", "false_success"] > 20
    assert 180 < sum(modes["simulated/malformed", mode] for mode in ("malformed", "unparsed_rule")) < 252
    assert min(modes["simulated/malformed", mode] for mode in ("malformed", "unparsed_rule")) > 20


def test_the_tables_show_the_planted_accuracies(audit: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right: Counter[tuple[str, ...]] = Counter()
    asked: Counter[tuple[str, ...]] = Counter()
    for response in lines("responses.jsonl"):
        task = tasks()[response["study"], response["case"], response["arm"]]
        correct = expected_mode(response["setting"], task, response["response"]) == "correct"
        for cell in ((response["setting"], response["arm"]), (response["setting"], task["study"], task["arm"])):
            right[cell] += correct
            asked[cell] += 1
    assert main(["accuracy", str(audit), "--rows", "setting", "--cols", "arm", "--replicates", "100", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert len(cells) == 36
    for cell in cells:
        row, col = (value if isinstance(value, str) else value[0] for value in (cell["row"], cell["col"]))
        assert (cell["correct"], cell["planned"]) == (right[row, col], 72)
    assert main(["accuracy", str(audit), "--layout", "prex-table6", "--json"]) == 0
    rows = [one for one in json.loads(capsys.readouterr().out)["records"] if one["setting"] != "Random"]
    assert len(rows) == 3 * 36
    for one in rows:
        key = one["setting"], one["study"], f"{one['semantics']}/{one['shift']}"
        standard = one["setting"], one["study"], f"{one['semantics']}/Standard"
        share = right[key] / asked[key]
        assert (one["correct"], one["planned"]) == (right[key], asked[key])
        assert one["completed_accuracy"] == pytest.approx(share)
        if one["shift"] != "Standard":
            assert one["change"] == pytest.approx(share - right[standard] / asked[standard])
    assert right["simulated/optimist", "K/KeywordObf"] == 12
    assert right["simulated/prior-following", "S/KeywordSwap"] < 72 == right["simulated/prior-following", "S/Standard"]


def test_wrong_rules_say_how_they_are_near(audit: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    assert main(["export", "responses", str(audit), "-o", str(out), "--where", "mode.computed:wrong_rule"]) == 0
    for row in map(json.loads, out.read_text(encoding="utf-8").splitlines()):
        told = json.dumps(row["evidence"])
        if row["setting"] == "simulated/off-by-one-rule":
            assert "adjacent" in told
        if row["setting"] == "simulated/other-semantics":
            assert ("not in" in told) or ("no such rule" in told)


def test_a_demo_stays_as_it_is_and_another_one_comes_beside_it(
    audit: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = audit.read_bytes()
    make_demo(audit, "prex")
    assert audit.read_bytes() == before
    assert main(["agreement", str(audit)]) == 0
    assert "on 50 of 60 items" in capsys.readouterr().out
    both = tmp_path / "both.db"
    both.write_bytes(before)
    make_demo(both, "exact-output")
    assert len(info(both).studies) == 5


def test_the_settings_are_named_as_simulated() -> None:
    assert all(one["setting"].startswith("simulated/") for one in lines("settings.jsonl"))
    assert "no language model was asked" in (RUN / "run.toml").read_text(encoding="utf-8")


def test_the_maker_reproduces_the_committed_bytes(tmp_path: Path) -> None:
    script = SAMPLES / "make_prex.py"
    subprocess.run([sys.executable, "-B", str(script), str(tmp_path)], check=True, timeout=300)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(made) == {path.name for path in RUN.iterdir()}
    for name, content in made.items():
        assert content == (RUN / name).read_bytes(), f"{name} is not what make_prex.py writes"
