"""What the page on diagnosis says can be typed in works as it stands, and it names every kind and mode."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from auditor.diagnosis.fault import Kind
from auditor.diagnosis.findings import MODES
from auditor.execution.sandbox import Sandbox
from tests.benchmarks.planted_faults import programs

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "diagnosis.md").read_text(encoding="utf-8")


def test_the_example_of_the_page_runs(sandbox: Sandbox) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "line 3's `>` were `>=`" in done.stdout and "faults tried" in done.stdout


def test_the_page_names_every_kind_and_mode() -> None:
    named = [*Kind, *MODES[:2]]
    assert [name for name in named if f"`{name}`" not in PAGE] == []


def test_the_programs_in_which_faults_are_planted_are_as_many_as_the_page_says() -> None:
    found = list(programs(None, 0, 1))
    assert f"plants faults in {len(found)} small programs" in PAGE
    assert all(ast.parse(one.source) for one in found)
