"""The folders that `build prex` writes: a run directory for each split, and parts of it while it is not complete.

A part holds the tasks of one valid program. Parts of an interrupted build stay, and the next build of the same takes
them over.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

from auditor.errors import InputError
from auditor.formats.json_text import UnusableError, parse_object
from auditor.formats.records import RunInfo
from auditor.formats.run_directory import RESPONSES, TASKS
from auditor.formats.run_writer import write_run_directory
from auditor.formats.task_record import task_line
from auditor.model import JsonValue, Task
from auditor.studies.prex.grid import Asked, GridOptions, study_of
from auditor.studies.prex.prompts import PROGRAM_PLACE, Strategy
from auditor.studies.prex.splits import Split, ValidProgram
from auditor.text import counted, json_line, visible_line

BUILD = "build.json"
"""What a finished run directory was built from: nothing is built again that is there already."""
PROMPTS = "prompts.jsonl"
_PARTS = ".parts"
_BUILDER = 1
"""Changes when the builder makes other tasks of the same program, so that none of an older one is kept."""
PROVENANCE = (
    "Tasks without replies. The oracles come from executing every program under the semantics of its arm; errors are"
    " planted where the execution comes by."
)


def digest_of(valid: ValidProgram, options: GridOptions) -> str:
    """Return the hash of everything that the tasks of a program depend on."""
    given = [
        _BUILDER,
        valid.split.value,
        valid.name,
        valid.source,
        [options.arm(*arm) for arm in options.arms],
        options.asked.value,
        options.alphabet,
        options.seed,
        options.whole_prompt.value if options.whole_prompt else None,
    ]
    return hashlib.sha256(json.dumps(given).encode()).hexdigest()


def run_folder(folder: Path, split: Split, asked: Asked) -> Path:
    """Return where the run directory of a split stands."""
    return folder / (split.value if asked is Asked.VERDICT else f"{asked.value}-{split.value}")


def check_target(folder: Path, asked: Asked) -> None:
    """Refuse a place where a build would destroy something: a file, collected replies, a folder of another kind."""
    where = visible_line(str(folder))
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file, not a folder.", where=where, hint="Give a new folder.")
    known = {run_folder(folder, split, one).name for split in Split for one in Asked}
    if folder.exists() and any(entry.name not in known | {_PARTS} for entry in folder.iterdir()):
        raise InputError("this folder exists and no build made it.", where=where, hint="Give a new folder.")
    for there in (run_folder(folder, split, asked) for split in Split):
        where, replies = visible_line(str(there)), there / RESPONSES
        if there.exists() and not (there / BUILD).is_file():
            raise InputError("this folder exists and no build made it.", where=where, hint="Give a new folder.")
        if replies.exists() and replies.stat().st_size:
            raise InputError("this run has replies already.", where=where, hint="Give a new folder.")


def finished_build(folder: Path) -> str | None:
    """Return the digest of a run directory that is built already; None when there is none."""
    with contextlib.suppress(OSError, UnusableError):
        digest = parse_object((folder / BUILD).read_bytes()).get("digest")
        return digest if isinstance(digest, str) else None
    return None


def split_digest(digests: Sequence[str], strategies: Sequence[Strategy]) -> str:
    """Return the hash of everything that a run directory depends on."""
    given = [*digests, *(strategy.value for strategy in strategies)]
    return hashlib.sha256("\n".join(given).encode()).hexdigest()


def part_of(folder: Path, digest: str) -> Path:
    """Return where the tasks of one program wait until its split is complete."""
    return folder / _PARTS / f"{digest}.jsonl"


def write_part(path: Path, tasks: Iterable[Task]) -> None:
    """Write the tasks of one program: the part is whole or not there. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}")
    try:
        with beside.open("wb") as file:
            for task in tasks:
                file.write(json_line(task_line(task)) + b"\n")
        beside.rename(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_split(
    folder: Path,
    split: Split,
    digests: Sequence[str],
    options: GridOptions,
    strategies: Sequence[Strategy],
) -> None:
    """Make the run directory of a split of its parts, in their order, and clear them away.

    The directory is complete or not there. Raises InputError when writing fails.
    """
    target = run_folder(folder, split, options.asked)
    beside = folder / _PARTS / f"run-{uuid.uuid4().hex[:12]}"
    study = study_of(split, options.asked)
    programs = counted(len(digests), "valid program")
    about = f"PrEx: {programs} and five invalid ones of each ({split.value})"
    if options.asked is Asked.FINAL_STATE:
        about = f"Final states of {programs} ({split.value})"
    run = RunInfo(study.name, about, PROVENANCE)
    try:
        write_run_directory(beside, run, [study], [], [], [], {PROMPTS: prompt_records(options, strategies)})
        with (beside / TASKS).open("wb") as whole:
            for digest in digests:
                with part_of(folder, digest).open("rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
            whole.flush()
            os.fsync(whole.fileno())
        (beside / BUILD).write_bytes(json_line({"digest": split_digest(digests, strategies)}) + b"\n")
        if target.exists():
            shutil.rmtree(target)
        beside.rename(target)
    except OSError as error:
        raise InputError(f"writing it failed ({error.strerror}).", where=visible_line(str(target))) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    for digest in digests:
        part_of(folder, digest).unlink(missing_ok=True)


def clear_parts(folder: Path) -> None:
    """Remove what is left of parts when everything is written."""
    shutil.rmtree(folder / _PARTS, ignore_errors=True)


def prompt_records(options: GridOptions, strategies: Sequence[Strategy]) -> Iterable[dict[str, JsonValue]]:
    """Yield what a model is asked in every arm and way, once for all programs, whose place is marked."""
    for formalism, shift in options.arms:
        for strategy in strategies:
            prompt = options.prompt(formalism, shift, strategy)
            yield {
                "arm": options.arm(formalism, shift),
                "prompting": strategy.value,
                "program_place": PROGRAM_PLACE,
                **prompt._asdict(),
            }
