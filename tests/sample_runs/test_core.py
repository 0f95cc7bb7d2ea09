"""The sample run `core`: planted faults come out as graded, and its maker writes the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from auditor.audit.demo import make_demo
from auditor.cli.main import main
from tests.sample_runs.run_directory import SAMPLES

RUN = SAMPLES / "core"
Record = dict[str, Any]
RIGHT = {"right", "revised-right"}


def lines(name: str) -> list[Record]:
    return [json.loads(line) for line in (RUN / name).read_text(encoding="utf-8").splitlines()]


@cache
def spec() -> Record:
    return tomllib.loads((SAMPLES / "core_faults.toml").read_text(encoding="utf-8"))


def fits(fault: Record, task: Record, sample: int) -> bool:
    """Say as the file's comment does whether a fault speaks of a task."""
    style = task["facets"]["style"]
    return all(
        (
            fault["target"] == task["target"],
            task["problem"] in fault.get("problems", [task["problem"]]),
            style in fault.get("styles", [style]),
            style not in fault.get("not_styles", []),
            task["test"] in fault.get("tests", [task["test"]]),
            task["arm"].rpartition("/")[2] in fault.get("probes", [task["arm"].rpartition("/")[2]]),
            "dimensions" not in fault or set(fault["dimensions"]) & set(task.get("dimensions", [])),
            sample in fault.get("samples", [sample]),
        )
    )


@cache
def planted() -> dict[tuple[str, str, str, int], str]:
    """Return what the specification does to each cell: setting, case, arm, sample."""
    tasks = lines("tasks.jsonl")
    found: dict[tuple[str, str, str, int], str] = {}
    for setting in spec()["setting"]:
        for sample in range(setting.get("samples", 1)):
            done = {(task["case"], task["arm"]): "right" for task in tasks}
            for fault in reversed(setting.get("fault", [])):
                matching = [task for task in tasks if fits(fault, task, sample)]
                for task in matching[:: fault.get("every", 1)]:
                    done[task["case"], task["arm"]] = fault["does"]
            for (case, arm), does in done.items():
                found[setting["name"], case, arm, sample] = does
    return found


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("core") / "demo.db"
    make_demo(path, "core")
    return path


def test_every_reply_is_what_the_specification_says(audit: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    assert main(["export", "responses", str(audit), "-o", str(out), "--quiet"]) == 0
    graded = {
        (row["setting"], row["case"], row["arm"], row["sample"]): row
        for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())
    }
    absent = {cell for cell, does in planted().items() if does == "absent"}
    assert graded.keys() == planted().keys() - absent and len(absent) == 7
    expected = {"missing": "no-response", "no-answer": "wrong-invalid"}
    for cell, row in graded.items():
        does = planted()[cell]
        assert row["status"] == expected.get(does, "correct-valid" if does in RIGHT else "wrong-valid"), cell
    counts = Counter(planted().values())
    assert min(counts[does] for does in ("missing", "no-answer", "revised-right", "revised-wrong")) >= 9


def test_replies_record_what_was_planted_and_their_rounds() -> None:
    for response in lines("responses.jsonl"):
        cell = response["setting"], response["case"], response["arm"], response["sample"]
        assert (response["planted"] or "right") == planted()[cell]
        if response["setting"] == "simulated/reflecting":
            (first,) = response["turns"]
            assert (first == response["response"]) is (response["planted"] is None)
    families = {one["setting"]: one["facets"].get("family") for one in lines("settings.jsonl")}
    styles = {task["facets"]["style"] for task in lines("tasks.jsonl")}
    assert {family for family in families.values() if family} == {"loops", "recursive", "table-driven", "functional"}
    assert {family for family in families.values() if family} < styles


def test_the_maker_writes_the_same_replies_from_the_same_tasks(tmp_path: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; import make_core as maker;"
        "from auditor.formats.json_text import parse_object; from auditor.formats.task_record import read_task;"
        "rows = (Path(sys.argv[1]) / 'core/tasks.jsonl').read_bytes().splitlines();"
        "tasks = [read_task(parse_object(row)) for row in rows];"
        "maker.make(Path(sys.argv[2]), maker.read_plan(maker.HERE / maker.FAULTS), tasks)"
    )
    out = tmp_path / "core"
    subprocess.run([sys.executable, "-c", script, str(SAMPLES), str(out)], check=True)
    assert sorted(path.name for path in out.iterdir()) == sorted(path.name for path in RUN.iterdir())
    for path in RUN.iterdir():
        assert (out / path.name).read_bytes() == path.read_bytes(), path.name
    assert sum(path.stat().st_size for path in RUN.iterdir()) < 1_500_000


def test_a_demo_stays_as_it_is(audit: Path) -> None:
    before = audit.read_bytes()
    make_demo(audit, "core")
    assert audit.read_bytes() == before
