"""The folder that `build core` writes: a run directory, with what came of each problem beside it for the next build."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.records import RunInfo
from auditor.formats.run_directory import TASKS
from auditor.formats.run_writer import write_run_directory
from auditor.formats.task_record import read_task, task_line
from auditor.model import JsonValue, Task
from auditor.studies.core.building import BuildOptions
from auditor.studies.core.built import Built, Sizes
from auditor.studies.core.problem import Pair, Problem, Reason, Refusal
from auditor.studies.core.prompts import prompt_records
from auditor.studies.core.tasks import study_named
from auditor.studies.exact_output.run_files import check_target as check_target
from auditor.studies.finished_parts import keep_line, kept_lines, take_the_place
from auditor.text import counted

PROMPTS = "prompts.jsonl"
"""What a model is asked in every way, with marks in the place of program, call and question."""
BUILD = "build.jsonl"
"""One line a problem: what it was built from, and what came of it."""
_TASKS_KEPT = "kept"
_BUILDER = 1
"""Changes when the builder makes other tasks of the same problem, so that none of an older one is kept."""
PROVENANCE = (
    "Tasks without replies. Outputs and answers come from running every implementation; the tests are the fewest that"
    " reach the lines and branches that all tests reach."
)


def digest_of(problem: Problem, options: BuildOptions) -> str:
    """Return the hash of everything that the tasks of a problem depend on."""
    chosen = {**asdict(options), "whole_prompt": options.whole_prompt.value if options.whole_prompt else None}
    given = [_BUILDER, asdict(problem), chosen, list(sys.version_info[:3])]
    return hashlib.sha256(json.dumps(given, sort_keys=True).encode()).hexdigest()


def earlier_builds(folder: Path) -> dict[str, Built]:
    """Return what an earlier build made, by the digest of each problem; what cannot be read is left out.

    Of one that was killed, these are the problems that it had finished.
    """
    return {**_written(folder), **_unfinished(folder)}


def keep(folder: Path, digest: str, built: Built) -> None:
    """Keep a finished problem, whatever becomes of the build. Raises InputError when writing fails."""
    keep_line(folder, {**row_of(digest, built), _TASKS_KEPT: [task_line(task) for task in built.tasks]})


def _unfinished(folder: Path) -> dict[str, Built]:
    found: dict[str, Built] = {}
    for values in kept_lines(folder):
        with contextlib.suppress(UnusableError, KeyError, TypeError, ValueError):
            tasks = [read_task(one) for one in values[_TASKS_KEPT]]
            found[values["digest"]] = _built(values, {values["problem"]: tasks})
    return found


def _written(folder: Path) -> dict[str, Built]:
    try:
        tasks = [read_task(parse_object(row)) for row in (folder / TASKS).read_bytes().splitlines()]
        rows = (folder / BUILD).read_bytes().splitlines()
    except (OSError, UnusableError):
        return {}
    by_problem: dict[str, list[Task]] = {}
    for task in tasks:
        by_problem.setdefault(task.problem or "", []).append(task)
    found: dict[str, Built] = {}
    for row in rows:
        with contextlib.suppress(UnusableError, KeyError, TypeError, ValueError):
            values: dict[str, Any] = parse_object(row)
            found[values["digest"]] = _built(values, by_problem)
    return found


def _built(values: dict[str, Any], tasks: Mapping[str, list[Task]]) -> Built:
    name = values["problem"]
    refusals = [Refusal(name, one["implementation"], Reason(one["reason"]), one["detail"]) for one in values["refused"]]
    pairs = [Pair(**pair) for pair in values["for_experts"]]
    built = Built(name, tuple(tasks.get(name, ())), tuple(refusals), tuple(pairs), Sizes(**values["sizes"]))
    if len(built.tasks) != values["tasks"]:
        raise ValueError("the tasks are not those of the build")
    return built


def write_run(folder: Path, built: Mapping[str, Built], study: str) -> None:
    """Write what was built (by the digest of its problem) in the order of names, in place of an earlier build.

    The folder is complete or as it was before; what was kept beside it is taken away then. Raises InputError when
    writing fails.
    """
    ordered = sorted(built.items(), key=lambda item: item[1].problem)
    tasks = [task for _, one in ordered for task in one.tasks]
    problems = counted(sum(one.admitted for one in built.values()), "problem")
    implementations = counted(sum(one.sizes.implementations for one in built.values()), "implementation")
    run = RunInfo(
        folder.resolve().name,
        f"CoRE: {problems} with {implementations}",
        PROVENANCE,
        {"python": ".".join(map(str, sys.version_info[:3]))},
    )
    beside = folder.parent / f".{folder.name[:50]}-{uuid.uuid4().hex[:12]}"
    records = {BUILD: [row_of(digest, one) for digest, one in ordered], PROMPTS: prompt_records()}
    write_run_directory(beside, run, [study_named(study)], tasks, [], [], records)
    take_the_place(beside, folder)


def row_of(digest: str, built: Built) -> dict[str, JsonValue]:
    """Return the line of a problem in the build's record."""
    return {
        "problem": built.problem,
        "digest": digest,
        "tasks": len(built.tasks),
        **report_of(built),
    }


def report_of(built: Built) -> dict[str, JsonValue]:
    """Return what is told of a problem."""
    refused: Sequence[JsonValue] = [
        {"implementation": one.implementation, "reason": one.reason.value, "detail": one.detail}
        for one in built.refusals
    ]
    return {
        "refused": refused,
        "for_experts": [pair._asdict() for pair in built.for_experts],
        "sizes": asdict(built.sizes),
    }
