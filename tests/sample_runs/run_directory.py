"""Reading the committed sample run as its files stand, without the package's own readers."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).resolve().parents[2] / "sample_runs"
RUN = SAMPLES / "exact-output"
PROGRAMS = sorted((SAMPLES / "programs").glob("*.py"))
ARMS = ("short-trace-final", "long-trace-final", "inside-loop-state", "post-loop-state")
Record = dict[str, Any]


def _lines(name: str) -> list[Record]:
    return [json.loads(line) for line in (RUN / name).read_text(encoding="ascii").splitlines()]


@cache
def tasks() -> dict[tuple[str, str, str], Record]:
    """Return the tasks by study, case and arm."""
    return {(task["study"], task["case"], task["arm"]): task for task in _lines("tasks.jsonl")}


@cache
def all_responses() -> list[Record]:
    return _lines("responses.jsonl")


@cache
def responses() -> list[Record]:
    """Return the simulated responses."""
    return [response for response in all_responses() if is_simulated(response["setting"])]


@cache
def all_settings() -> list[Record]:
    return _lines("settings.jsonl")


@cache
def settings() -> list[Record]:
    """Return the simulated settings."""
    return [setting for setting in all_settings() if is_simulated(setting["setting"])]


def is_simulated(setting: str) -> bool:
    return setting.startswith("simulated/")


@cache
def tag_rows() -> list[dict[str, str]]:
    with (RUN / "tags.csv").open(encoding="ascii", newline="") as file:
        return list(csv.DictReader(file))


def task_of(response: Record) -> Record:
    return tasks()[response["study"], response["case"], response["arm"]]


def enveloped_answer(text: str | None) -> str | None:
    """Return the answer of a reply that keeps the envelope; None for all others."""
    try:
        value = json.loads(text or "")
    except ValueError:
        return None
    if isinstance(value, dict) and list(value) == ["output"] and isinstance(value["output"], str):
        return value["output"]
    return None


def is_right(task: Record, answer: str) -> bool:
    """Compare as the studies' policies do: bytes for `text`, JSON values or tokens for `classic`."""
    if task["study"] == "text":
        return bool(answer == task["oracle"])
    try:
        expected = json.loads(task["oracle"])
    except ValueError:
        return bool(answer.split() == task["oracle"].split())
    try:
        return bool(json.loads(answer) == expected)
    except ValueError:
        return False


def run_python(source: str, text: str) -> str:
    """Run a program in a Python of its own and return what it wrote."""
    command = [sys.executable, "-S", "-B", "-c", source]
    done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=20, check=True)
    return done.stdout.decode()
