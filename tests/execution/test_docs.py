"""What the page on execution says can be typed in works as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from auditor.execution.outcome import Ending
from auditor.execution.sandbox import Sandbox

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "execution.md").read_text(encoding="utf-8")


def test_the_examples_of_the_page_run(sandbox: Sandbox) -> None:
    outputs = []
    for example in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert sandbox.protection.sentence in outputs[0]
    assert "finished b'42\\n'" in outputs[0] and outputs[0].endswith("True\n")
    assert outputs[1] == "[{'total': '3', 'n': '3'}, {'total': '45', 'n': '9'}]\n"


def test_the_page_names_every_ending() -> None:
    assert [ending for ending in Ending if f"`{ending}`" not in PAGE] == []
