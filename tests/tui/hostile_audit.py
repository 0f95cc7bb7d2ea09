"""An audit file with every hostile text at every place of a record."""

from __future__ import annotations

import json
from pathlib import Path

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from tests.hostile import HOSTILE

RUN = """[run]
name = "hostile"
description = "Hostile texts."
provenance = "Made for tests."

[[study]]
name = "hostile"
policy = "bytes"
envelope = "none"
codebook = "execution"
"""


def hostile_audit(folder: Path) -> Path:
    """Make an audit file; item n has the nth hostile text as case, arm, setting, source, input, oracle and reply."""
    run = folder / "hostile-run"
    run.mkdir()
    (run / "run.toml").write_text(RUN)
    tasks, responses = [], []
    for number, text in enumerate(HOSTILE.values()):
        names = {"study": "hostile", "case": f"{number} {text}", "arm": text or "empty"}
        tasks.append(
            names | {"language": "python", "source": text or "pass", "input": text, "target": "output", "oracle": text}
        )
        responses.append(names | {"setting": text or "empty", "response": text + "x", "reasoning": text})
    (run / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    (run / "responses.jsonl").write_text("".join(json.dumps(response) + "\n" for response in responses))
    path = folder / "hostile.db"
    report = load(path, [run], LoadOptions())
    assert not report.refusals, report.refusals
    grade_file(path)
    return path
