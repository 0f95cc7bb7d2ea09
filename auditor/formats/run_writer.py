"""Write a run directory: streaming, and complete or not at all."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path

from auditor.errors import InputError
from auditor.formats.records import RunInfo
from auditor.formats.run_directory import RESPONSES, SETTINGS, TASKS
from auditor.formats.run_toml import NAME, run_toml
from auditor.formats.setting_record import setting_line
from auditor.formats.task_record import task_line
from auditor.model import JsonValue, Response, Setting, Study, Task
from auditor.text import json_line


def write_run_directory(
    path: Path,
    run: RunInfo,
    studies: Iterable[Study],
    tasks: Iterable[Task],
    settings: Iterable[Setting],
    responses: Iterable[Response],
    beside: Mapping[str, Iterable[dict[str, JsonValue]]] | None = None,
) -> None:
    """Write a run directory that reads back as the same records; the same records give the same bytes.

    `beside` holds records of further files, which no import reads, by their names.
    It is written beside `path` and moved there when complete. Raises InputError when `path` is a file or a folder that
    is not empty, when a study's or the run's texts cannot stand in TOML, and when writing fails.
    """
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InputError("it exists already.", where=str(path), hint="Give a new or an empty folder.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = path.parent / f".{path.name[:50]}-{uuid.uuid4().hex[:12]}"
        folder.mkdir()
        try:
            (folder / NAME).write_bytes(run_toml(run, studies).encode())
            _write(folder / TASKS, map(task_line, tasks))
            _write(folder / SETTINGS, map(setting_line, settings))
            _write(folder / RESPONSES, map(response_line, responses))
            for name, records in (beside or {}).items():
                _write(folder / name, records)
            folder.rename(path)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    except OSError as err:
        raise InputError(f"writing it failed ({err.strerror}).", where=str(path)) from err


def response_line(response: Response) -> dict[str, JsonValue]:
    """Return the JSON object of a response, keys in their fixed order, absent ones left out."""
    study, case, arm, setting, sample = response.key
    extra = dict(response.extra)
    optional: dict[str, JsonValue] = {
        "reasoning": response.reasoning,
        "finish": response.finish,
        "error": response.error,
        "usage": extra.pop("usage", None),
        "seconds": extra.pop("seconds", None),
    }
    return {
        "study": study,
        "case": case,
        "arm": arm,
        "setting": setting,
        "sample": sample,
        "response": response.text,
        **{name: value for name, value in optional.items() if value is not None},
        **extra,
    }


def _write(path: Path, records: Iterable[dict[str, JsonValue]]) -> None:
    with path.open("wb") as file:
        for record in records:
            file.write(json_line(record) + b"\n")
