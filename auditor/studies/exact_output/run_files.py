"""The folder that a build writes: a run directory, with the verdict on each case beside it for the next build."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sys
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from auditor.errors import InputError
from auditor.execution.engines import engine_of
from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.records import RunInfo
from auditor.formats.run_directory import RESPONSES, TASKS
from auditor.formats.run_writer import write_run_directory
from auditor.formats.task_record import read_task, task_line
from auditor.model import Study, Task, TaskKey
from auditor.studies.exact_output.building import BuildOptions
from auditor.studies.exact_output.case import ARMS, Case, Point, Reason, Refusal, Verdict
from auditor.studies.finished_parts import keep_line, kept_lines, take_the_place
from auditor.text import json_line, visible_line

BUILD = "build.jsonl"
"""One line a case: what it was built from, and its verdict."""
_TASKS_KEPT = "kept"
_BUILDER = 3
"""Changes when the builder makes other tasks of the same case, so that none of an older one is kept."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the run says of its studies."""

    name: str
    policy: str = "json-or-tokens"
    provenance: str = ""


def digest_of(case: Case, options: BuildOptions) -> str:
    """Return the hash of everything that the verdict on a case depends on."""
    engine = engine_of("c++") if case.language == "cpp" else _python()
    given = [_BUILDER, asdict(case), asdict(options), engine]
    return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()


def _python() -> str:
    version = sys.version_info
    return f"{version[0]}.{version[1]}.{version[2]}"


def _engines(tasks: Sequence[Task]) -> dict[str, str]:
    """Return what ran the programs, by language."""
    languages = {task.language for task in tasks}
    return {"python": _python(), **({"cpp": engine_of("c++")} if "cpp" in languages else {})}


def check_target(folder: Path) -> None:
    """Refuse a place where a build would destroy something: a file, collected replies, a folder of another kind."""
    where = visible_line(str(folder))
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError("this is a file, not a folder.", where=where, hint="Give a new folder.")
    if any(folder.iterdir()) and not (folder / BUILD).is_file():
        raise InputError("this folder exists and no build made it.", where=where, hint="Give a new folder.")
    replies = folder / RESPONSES
    if replies.exists() and replies.stat().st_size:
        raise InputError("this run has replies already.", where=where, hint="Give a new folder.")


def earlier_verdicts(folder: Path) -> dict[str, Verdict]:
    """Return the verdicts of an earlier build by the digest of their case; those that cannot be read are left out.

    Of one that was killed, these are the cases that it had finished.
    """
    return {**_written(folder), **_unfinished(folder)}


def keep(folder: Path, digest: str, verdict: Verdict) -> None:
    """Keep the verdict on a finished case, whatever becomes of the build. Raises InputError when writing fails."""
    keep_line(folder, {**_row(digest, verdict), _TASKS_KEPT: [task_line(task) for task in verdict.tasks]})


def _unfinished(folder: Path) -> dict[str, Verdict]:
    found: dict[str, Verdict] = {}
    for values in kept_lines(folder):
        with contextlib.suppress(UnusableError, KeyError, TypeError, ValueError):
            found[values["digest"]] = _verdict(values, _by_key(map(read_task, values[_TASKS_KEPT])))
    return found


def _written(folder: Path) -> dict[str, Verdict]:
    try:
        tasks = _by_key(read_task(parse_object(row)) for row in (folder / TASKS).read_bytes().splitlines())
        rows = (folder / BUILD).read_bytes().splitlines()
    except (OSError, UnusableError):
        return {}
    found: dict[str, Verdict] = {}
    for row in rows:
        with contextlib.suppress(UnusableError, KeyError, TypeError, ValueError):
            values: dict[str, Any] = parse_object(row)
            found[values["digest"]] = _verdict(values, tasks)
    return found


def _verdict(values: dict[str, Any], tasks: Mapping[TaskKey, Task]) -> Verdict:
    point = Point(**{**values["point"], "fields": tuple(values["point"]["fields"])}) if values["point"] else None
    refusal = Refusal(Reason(values["reason"]), values["detail"]) if values["reason"] else None
    key = values["study"], values["case"]
    own = () if refusal else tuple(tasks[TaskKey(*key, arm)] for arm in ARMS)
    return Verdict(*key, own, refusal, point)


def _by_key(tasks: Iterable[Task]) -> dict[TaskKey, Task]:
    return {task.key: task for task in tasks}


def write_run(
    folder: Path,
    verdicts: Mapping[str, Verdict],
    options: RunOptions,
) -> None:
    """Write verdicts (by the digest of their case) and tasks in the order of their names, in place of an earlier build.

    The folder is complete or as it was before; what was kept beside it is taken away then. Raises InputError when
    writing fails.
    """
    ordered = sorted(verdicts.items(), key=lambda item: (item[1].study, item[1].case))
    tasks = [task for _, verdict in ordered for task in verdict.tasks]
    names = sorted({task.study for task in tasks}) or [options.name]
    studies = [Study(name, options.policy, "output-json", "program", "execution", 1) for name in names]
    count = sum(verdict.admitted for verdict in verdicts.values())
    run = RunInfo(
        options.name,
        f"Final output and checkpoint state of {count:,} programs",
        options.provenance or "Tasks without replies; the oracles are what the programs wrote when they were run.",
        _engines(tasks),
    )
    beside = folder.parent / f".{folder.name[:50]}-{uuid.uuid4().hex[:12]}"
    write_run_directory(beside, run, studies, tasks, [], [])
    try:
        lines = [json_line(_row(digest, verdict)) + b"\n" for digest, verdict in ordered]
        (beside / BUILD).write_bytes(b"".join(lines))
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise InputError(f"writing it failed ({error.strerror}).", where=visible_line(str(folder))) from error
    take_the_place(beside, folder)


def _row(digest: str, verdict: Verdict) -> dict[str, Any]:
    point, refusal = verdict.point, verdict.refusal
    return {
        "study": verdict.study,
        "case": verdict.case,
        "digest": digest,
        "admitted": verdict.admitted,
        "reason": refusal.reason.value if refusal else None,
        "detail": refusal.detail if refusal else None,
        "point": {"loop": point.loop, "iteration": point.iteration, "fields": list(point.fields)} if point else None,
    }


def repeated_names(cases: Sequence[Case], options: BuildOptions) -> list[str]:
    """Return the names that several cases of a study share."""
    seen: set[tuple[str, str]] = set()
    repeated: list[str] = []
    for case in cases:
        key = case.study or options.study, case.name
        if key in seen:
            repeated.append(case.name)
        seen.add(key)
    return repeated
