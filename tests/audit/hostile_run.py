"""A run directory whose names, texts, facets and extras are the texts that broke other tools, raw bytes included."""

from __future__ import annotations

from pathlib import Path

from auditor.audit.load import LoadOptions, load
from auditor.formats.records import RunInfo
from auditor.formats.run_writer import write_run_directory
from auditor.model import Checkpoint, Response, ResponseKey, Setting, Study, Task
from auditor.text import from_bytes
from tests.hostile import HOSTILE

RAW = from_bytes(b"raw \xff\xfe caf\xe9")
TEXTS = (*HOSTILE.values(), RAW)
STUDY = Study("study [x]", policy="bytes", samples=1, extra={"note": "[/]"})
SETTINGS = (
    Setting("model/a [b]", "model", "high", "direct", {"temperature": 0.2, "odd": HOSTILE["lone surrogate"]}),
    Setting("NA", facets={"odd": RAW}, extra={"more": [RAW, None]}),
)


def hostile_tasks() -> list[Task]:
    """Return a task for each text, which is its case, input, oracle, prompt and facet."""
    return [
        Task(
            STUDY.name,
            text,
            "output",
            "python",
            type(text)(f"print({number})\n" * (1 + number % 3) + f"# {text}\n"),
            text,
            "output",
            text,
            clean_source=f"print({number})\n" * (1 + number % 3),
            checkpoint=Checkpoint(1, "after-line", fields=("x",)) if number % 2 else None,
            prompt={"user": text},
            measures={"size": number, "status": 0.5},
            facets={"text": text, "mode": number % 2 == 0, "none": None},
            extra={"unknown": [text, {"deep": text}]},
        )
        for number, text in enumerate(TEXTS)
    ]


def hostile_responses() -> list[Response]:
    """Return a response to each task under each setting; some are non-responses."""
    return [
        Response(
            ResponseKey(STUDY.name, text, "output", setting.name, 0),
            None if number % 7 == 3 else text,
            text if number % 2 else None,
            "stop",
            text if number % 7 == 3 else None,
            {"usage": {"tokens": number}, "unknown": text},
        )
        for setting in SETTINGS
        for number, text in enumerate(TEXTS)
    ]


def write_hostile_run(folder: Path) -> Path:
    """Write the run directory."""
    run = RunInfo("a run", "described", "made by hand", {"key": 1}, {"outside": {"x": [1, 2]}})
    write_run_directory(folder, run, [STUDY], hostile_tasks(), SETTINGS, hostile_responses())
    return folder


def hostile_audit(folder: Path, name: str = "hostile") -> Path:
    """Make an audit file of the run directory, which is written when it is not there."""
    run = folder / "run"
    if not run.exists():
        write_hostile_run(run)
    path = folder / f"{name}.db"
    report = load(path, [run], LoadOptions())
    assert report.refusals == []
    return path
