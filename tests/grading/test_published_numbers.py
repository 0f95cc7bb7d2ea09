"""The published grids, graded reply by reply: the paper's 11,200 cells and CRUXEval's 32,000 generations."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.grading.grade import grade
from auditor.grading.question import Question
from auditor.model import Grade

INVALID = [133, 154, 396, 18, 55, 429, 46]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


@pytest.mark.parametrize("seed", ["20261011", "3"])
def test_the_paper_grid_has_its_published_counts(shared: Path, tmp_path: Path, seed: str) -> None:
    tool = shared / "tools" / "paper_grid.py"
    subprocess.run([sys.executable, str(tool), str(tmp_path), "--seed", seed], check=True)
    studies = {study["name"]: study for study in tomllib.loads((tmp_path / "run.toml").read_text())["study"]}
    tasks = {(task["case"], task["arm"]): task for task in lines(tmp_path / "tasks.jsonl")}
    oracles: dict[str, dict[str, str]] = defaultdict(dict)
    for (case, arm), task in tasks.items():
        oracles[case][arm] = task["oracle"]
    statuses: Counter[str] = Counter()
    invalid: Counter[str] = Counter()
    json_only = outer_space = 0
    for response in lines(tmp_path / "responses.jsonl"):
        task, study = tasks[response["case"], response["arm"]], studies[response["study"]]
        siblings = {arm: text for arm, text in oracles[response["case"]].items() if arm != response["arm"]}
        question = Question(task["target"], task["oracle"], task["input"], task["source"], siblings=siblings)
        result = grade(question, response["response"], policy=study["policy"], envelope=study["envelope"])
        statuses[result.status] += 1
        invalid[response["setting"]] += result.status.endswith("-invalid")
        prediction = result.prediction or ""
        if study["name"] == "lcb_python" and result.status == "correct-valid":
            json_only += prediction.split() != task["oracle"].split()
        if study["name"] == "networkx" and result.status == "wrong-valid":
            outer_space += prediction.strip() == task["oracle"].strip()
        assert response["response"] != "" or result.status == "wrong-invalid"
    assert statuses == {
        "correct-valid": 4085,
        "correct-invalid": 276,
        "wrong-valid": 5835,
        "wrong-invalid": 955,
        "no-response": 49,
    }
    assert [invalid[setting] for setting in sorted(invalid)] == INVALID
    assert (json_only, outer_space) == (12, 5)


def test_cruxeval_verdicts_equal_the_logged_ones_but_for_one(shared: Path) -> None:
    folder = shared / "data" / "cruxeval"
    cases = {case["id"]: case for case in lines(folder / "cruxeval.jsonl")}
    literals = non_literals = 0
    other: list[tuple[str, str, int]] = []
    for path in sorted(folder.glob("runs/*_output.json")):
        run = json.loads(path.read_text(encoding="utf-8"))
        for identity, generations in run["raw_generations"].items():
            case = cases[identity]
            question = Question("output", case["output"], case["input"], case["code"], "python")
            for sample, text in enumerate(generations):
                result: Grade = grade(question, text, policy="python-literal", envelope="none")
                assert result.prediction == text
                if result.non_literal:
                    non_literals += 1
                    assert result.status == "wrong-valid"
                    continue
                literals += 1
                if result.status.is_correct != run["raw_scored_generations"][identity][sample]:
                    other.append((path.name.partition("_temp")[0], identity, sample))
    assert (literals, non_literals) == (30_877, 1_123)
    assert other == [("gpt-4-0613+cot", "sample_664", 3)]
