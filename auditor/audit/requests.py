"""Write what is to be asked again: a line a request, or a run directory that waits for its replies."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from auditor.errors import InputError
from auditor.formats.plan import KEY, plan_value
from auditor.formats.records import Planned, RunInfo
from auditor.formats.run_writer import write_run_directory
from auditor.formats.whole_file import whole_file
from auditor.model import JsonValue, Setting, Task
from auditor.store.requests import Request, open_requests
from auditor.store.runs import planned_cells
from auditor.store.suggestions import hint_for_nothing
from auditor.store.tasks import load_settings, load_studies, load_task
from auditor.text import json_line, visible_line

REQUESTS = "requests.jsonl"
Progress = Callable[[str, int, int], None]


def export_requests(
    connection: sqlite3.Connection,
    path: Path,
    target: Path | BinaryIO,
    where: str = "",
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> int:
    """Write the invalid predictions and absent cells that a filter leaves, and return how many.

    A target that ends in .jsonl and a stream get the requests alone; any other is a new folder, a run directory with
    their tasks and settings, into which the replies come. Raises InputError when nothing is to be asked.
    """
    asked = open_requests(connection, where)
    if not asked:
        left = f" that {visible_line(where)!r} leaves" if where.strip() else ""
        hint = hint_for_nothing(connection, where) if where.strip() else None
        raise InputError(f"nothing{left} is to be asked: nothing is invalid or absent.", hint=hint)
    settings = dict(enumerate_settings(connection))
    lines = _told(_lines(connection, asked, settings), len(asked), progress)
    if not isinstance(target, Path):
        return _write(target, lines)
    if target.suffix.lower() == ".jsonl":
        with whole_file(target, force=force) as file:
            return _write(file, lines)
    if target.suffix:
        raise InputError(
            "requests are JSON lines, or a run directory.",
            where=visible_line(str(target)),
            hint="Name it NAME.jsonl, or name a new folder.",
        )
    _write_run(connection, path, target, asked, settings, lines)
    return len(asked)


def enumerate_settings(connection: sqlite3.Connection) -> Iterator[tuple[int, Setting]]:
    """Yield the settings with their row ids."""
    ids = [row for (row,) in connection.execute("SELECT id FROM settings ORDER BY id")]
    return zip(ids, load_settings(connection), strict=True)


def _write(file: BinaryIO, lines: Iterator[dict[str, JsonValue]]) -> int:
    count = 0
    for line in lines:
        file.write(json_line(line) + b"\n")
        count += 1
    return count


def _told(
    lines: Iterator[dict[str, JsonValue]], total: int, progress: Progress | None
) -> Iterator[dict[str, JsonValue]]:
    for done, line in enumerate(lines, 1):
        yield line
        if progress and (done % 100 == 0 or done == total):
            progress("requests", done, total)


def _lines(
    connection: sqlite3.Connection, asked: Sequence[Request], settings: dict[int, Setting]
) -> Iterator[dict[str, JsonValue]]:
    """Yield the requests, each task read once."""
    for task_id, requests in groupby(asked, key=lambda request: request.task_id):
        task = load_task(connection, task_id)
        for request in requests:
            yield _line(task, settings[request.setting_id], request)


def _line(task: Task, setting: Setting, request: Request) -> dict[str, JsonValue]:
    """Return one request: the names that its reply has to carry, why it is asked, and all that a model is shown."""
    shown: dict[str, JsonValue] = {
        "model": setting.model,
        "mode": setting.mode,
        "prompting": setting.prompting,
        "prompt": None if task.prompt is None else dict(task.prompt),
        "question": task.question,
    }
    return {
        "study": task.study,
        "case": task.case,
        "arm": task.arm,
        "setting": setting.name,
        "sample": request.sample,
        "why": request.why,
        **({"reason": request.reason} if request.reason else {}),
        **{name: value for name, value in shown.items() if value is not None},
        "language": task.language,
        "target": task.target,
        "source": task.source,
        "input": task.input,
    }


def _write_run(
    connection: sqlite3.Connection,
    path: Path,
    target: Path,
    asked: Sequence[Request],
    settings: dict[int, Setting],
    lines: Iterator[dict[str, JsonValue]],
) -> None:
    tasks = [load_task(connection, row) for row in dict.fromkeys(request.task_id for request in asked)]
    used = [settings[row] for row in sorted({request.setting_id for request in asked})]
    studies = {task.study for task in tasks}
    arms, names = {(task.study, task.arm) for task in tasks}, {setting.name for setting in used}
    planned = [cell for cell in planned_cells(connection) if _is_asked(cell, arms, names)]
    run = RunInfo(
        f"{path.stem}-requests",
        "Requests of an audit: what was invalid or absent, to be asked",
        outside={KEY: plan_value(planned)},
    )
    kept = [study for study in load_studies(connection) if study.name in studies]
    write_run_directory(target, run, kept, tasks, used, (), beside={REQUESTS: lines})


def _is_asked(cell: Planned, arms: set[tuple[str, str]], settings: set[str]) -> bool:
    return (cell.study, cell.arm) in arms and cell.setting in settings
