"""Run directories for tests: small ones written on the spot, and the published grid made by its own script."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auditor.formats.toml_text import toml_pair

Record = Mapping[str, Any]


def task(case: str = "c1", arm: str = "output", **more: Any) -> dict[str, Any]:
    """Return a line of `tasks.jsonl`: print(CASE), whose output is the case's name."""
    plain = {
        "study": "s",
        "case": case,
        "arm": arm,
        "language": "python",
        "source": f"print({case!r})\n",
        "input": "",
        "target": "output",
        "oracle": f"{case}\n",
    }
    return plain | more


def response(case: str = "c1", arm: str = "output", setting: str = "m", **more: Any) -> dict[str, Any]:
    """Return a line of `responses.jsonl`: a right answer."""
    return {"study": "s", "case": case, "arm": arm, "setting": setting, "sample": 0, "response": f"{case}\n"} | more


def write_run(
    folder: Path,
    tasks: Sequence[Record] = (),
    responses: Sequence[Record | bytes] = (),
    settings: Sequence[Record] = (),
    *,
    studies: Mapping[str, str] | None = None,
) -> Path:
    """Write a run directory; `studies` gives further lines of each study's table; bytes are written as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"s": ""} if studies is None else studies
    head = '[run]\nname = "r"\n' + "".join(
        f"\n[[study]]\n{toml_pair('name', name)}\n{lines}\n" for name, lines in tables.items()
    )
    (folder / "run.toml").write_text(head)
    for name, records in (("tasks", tasks), ("responses", responses), ("settings", settings)):
        if records or name == "tasks":
            lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in records]
            (folder / f"{name}.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    return folder


def write_paper_grid(shared: Path, folder: Path) -> Path:
    """Write the run directory of 11,200 predictions whose tables are the published ones."""
    subprocess.run([sys.executable, str(shared / "tools" / "paper_grid.py"), str(folder)], check=True)
    return folder
