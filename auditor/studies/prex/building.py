"""Build the grid, one valid program after the other or side by side on an executor; each leaves a part on the disk."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from pathlib import Path
from typing import NamedTuple

from auditor.errors import InputError
from auditor.studies.prex.grid import GridOptions, tasks_of
from auditor.studies.prex.grid_files import digest_of, finished_build, part_of, run_folder, split_digest, write_part
from auditor.studies.prex.prompts import Strategy
from auditor.studies.prex.splits import Split, ValidProgram
from auditor.text import visible_line


class Job(NamedTuple):
    """One valid program, and where its tasks go."""

    valid: ValidProgram
    options: GridOptions
    part: Path


class SplitBuild(NamedTuple):
    """What is to be done for the run directory of a split."""

    split: Split
    digests: list[str]
    """Of all its programs, in their order."""
    jobs: list[Job]
    """Those whose tasks are not there."""
    ready: bool
    """Whether the run directory itself is there."""


def split_builds(
    folder: Path,
    programs: Mapping[Split, Sequence[ValidProgram]],
    options: GridOptions,
    strategies: Sequence[Strategy],
) -> list[SplitBuild]:
    """Return what a build has to do where `folder` may hold parts or the whole of an earlier one."""
    builds = []
    for split, own in programs.items():
        digests = [digest_of(valid, options) for valid in own]
        ready = finished_build(run_folder(folder, split, options.asked)) == split_digest(digests, strategies)
        parts = zip(own, (part_of(folder, digest) for digest in digests), strict=True)
        jobs = [Job(valid, options, part) for valid, part in parts if not ready and not part.exists()]
        builds.append(SplitBuild(split, digests, jobs, ready))
    return builds


def build_part(job: Job) -> None:
    """Make, check and write the tasks of a program.

    Raises InputError, naming the program, when it is not valid or writing fails.
    """
    try:
        write_part(job.part, tasks_of(job.valid, job.options))
    except InputError as error:
        raise InputError(error.message, where=visible_line(job.valid.name, 60), hint=error.hint) from error
    except OSError as error:
        raise InputError(f"writing it failed ({error.strerror}).", where=visible_line(str(job.part))) from error


def build_parts(jobs: Sequence[Job], executor: Executor | None) -> Generator[Job, None, None]:
    """Do the jobs and yield each when it is done, in whatever order that is. Raises as `build_part` does."""
    if executor is None:
        for job in jobs:
            build_part(job)
            yield job
        return
    waiting = {executor.submit(build_part, job): job for job in jobs}
    for future in as_completed(waiting):
        future.result()
        yield waiting[future]
