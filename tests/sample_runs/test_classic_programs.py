"""The programs of the classic study: of all the topics, no two alike, and all admitted by one command."""

from __future__ import annotations

import ast
import itertools
import json
from collections import Counter
from pathlib import Path

import pytest

from auditor.cli.main import main
from auditor.execution.protection import RefusedError, strongest_protection
from auditor.studies.exact_output.case_files import read_cases

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "sample_runs" / name for name in ("programs", "classic_programs")]
CASES = [case for folder in FOLDERS for case in read_cases(folder)[0]]


def shape(source: str) -> str:
    """Return a program's syntax tree without names, constants and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, str | int | float | bytes | None) and name not in ("ctx", "op"):
                setattr(node, name, None)
    return ast.dump(tree)


def test_no_two_programs_have_the_same_shape() -> None:
    shapes = {case.name: shape(case.source) for case in CASES}
    assert len(shapes) == len(CASES) == 46
    assert [pair for pair in itertools.combinations(shapes, 2) if shapes[pair[0]] == shapes[pair[1]]] == []


def test_renaming_and_other_numbers_leave_the_shape() -> None:
    assert shape("a = 1\nfor b in range(a):\n    print(b)\n") == shape("x = 7\nfor y in range(x):\n    print(y)\n")
    assert shape("a = 1 + 2\n") != shape("a = 1 - 2\n")


def test_the_topics_are_covered() -> None:
    topics = Counter(case.facets["topic"] for case in CASES)
    for topic in ("dynamic programming", "graphs", "strings", "sorting", "numerical methods", "geometry", "simulation"):
        assert topics[topic] >= 3, topic


@pytest.mark.slow
def test_one_command_builds_the_study_and_admits_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        strongest_protection()
    except RefusedError as error:
        pytest.skip(f"untrusted programs cannot be contained here: {error}")
    folders = [str(folder) for folder in FOLDERS]
    out = tmp_path / "classic"
    assert main(["build", "exact-output", *folders, "-o", str(out), "--study", "classic", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (len(report["admitted"]), report["refused"], report["tasks"]) == (46, [], 184)
    assert main(["import", str(tmp_path / "a.db"), str(out)]) == 0
