"""`auditor build`: make the tasks of a benchmark from programs, with oracles that come from running them."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.output import Progress, print_json, print_table, print_text, say, say_refused
from auditor.errors import AuditorError, InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from auditor.formats.records import Refusal
    from auditor.studies.exact_output.building import BuildOptions
    from auditor.studies.exact_output.case import Case, Verdict
    from auditor.studies.exact_output.run_files import RunOptions

EXIT_INTERRUPTED = 130


@click.group("build")
def build() -> None:
    """Make the tasks of a benchmark from programs.

    Programs run in the sandbox; the oracles are what they write.

    \b
    auditor build exact-output my-programs/ -o my-run
    """


@build.command("exact-output")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASES...")
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="RUN_DIR", help="The run directory to write.")
@click.option("--study", metavar="S", help="The study of all cases; else what each says, or exact-output.")
@click.option("--policy", default="json-or-tokens", show_default=True, metavar="P", help="How answers are graded.")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes; as many as processors if not given.")
@click.option("--loop", type=options.COUNT, metavar="LINE", help="The loop that begins in this line.")
@click.option("--iteration", type=options.COUNT, metavar="N", help="The inside checkpoint is before this iteration.")
@click.option("--fields", metavar="A,B", help="The variables of the state, in this order.")
@click.option("--seconds", type=options.FiniteRange(0.1, 3600), default=10.0, show_default=True, help="For one run.")
@click.option("--unsafe", is_flag=True, help="Run the programs even where nothing here can contain them.")
@click.option("--dry-run", is_flag=True, help="Build and check everything, and write nothing.")
@options.as_json
@options.quiet
def exact_output(
    paths: tuple[Path, ...],
    out: Path | None,
    study: str | None,
    policy: str,
    jobs: int | None,
    loop: int | None,
    iteration: int | None,
    fields: str | None,
    seconds: float,
    unsafe: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Build four tasks from each program with a short and a long input: the two final outputs, and the state inside and
    behind a loop.

    CASES are folders (NAME.py or NAME.cpp with NAME.toml beside it), .toml files with tables [[case]], or .jsonl files.
    What a case does not say of loop, iteration and fields is proposed from the program and a trace. A case is admitted
    only if all checks pass; the others are listed with the reason (exit code 1). A build that was interrupted keeps the
    finished cases, and the same command goes on.

    \b
    auditor build exact-output my-programs/ -o my-run
    auditor build exact-output cases.jsonl --dry-run
    """
    from auditor.grading.registry import find_policy
    from auditor.studies.exact_output.building import BuildOptions
    from auditor.studies.exact_output.run_files import RunOptions

    if out is None and not dry_run:
        raise InputError("there is no place to write to.", hint="Give -o RUN_DIR, or --dry-run.")
    find_policy(policy)
    given = BuildOptions(unsafe=unsafe, seconds=seconds)
    cases, refused = _read(paths)
    cases = [_with(case, study, loop, iteration, fields) for case in cases]
    _refuse_repeated_names(cases, given)
    target = None if dry_run else out
    run = RunOptions(target.resolve().name if target else "", policy)
    with Progress(quiet or as_json) as progress:
        verdicts, interrupted = _build_and_write(cases, given, run, jobs, target, progress)
    missing = len(cases) - len(verdicts)
    if as_json:
        print_json(_report(verdicts, refused, target, missing))
    else:
        _print(verdicts, refused, target, dry_run)
    if any(task.language == "cpp" and "cyclomatic" not in task.measures for v in verdicts for task in v.tasks):
        say("C++ tasks have no cyclomatic complexity: lizard is not installed; pip install 'auditor[cpp]'.")
    if interrupted:
        say(f"auditor: interrupted; {counted(len(verdicts), 'case')} finished, {missing:,} not.")
        if target is not None:
            say("The same command goes on from there.")
        return EXIT_INTERRUPTED
    return int(bool(refused) or any(not verdict.admitted for verdict in verdicts))


def _build_and_write(
    cases: Sequence[Case],
    given: BuildOptions,
    run: RunOptions,
    jobs: int | None,
    target: Path | None,
    progress: Callable[[str, int, int], None],
) -> tuple[list[Verdict], bool]:
    """Build, and write what is finished where there is a target; return it by name, and whether it was interrupted."""
    from auditor.studies.exact_output.run_files import check_target, earlier_verdicts, write_run

    done: dict[str, Verdict] = {}
    if target is not None:
        check_target(target)
        done = earlier_verdicts(target)
    before = signal.getsignal(signal.SIGINT)
    try:
        verdicts, interrupted = build_cases(cases, given, jobs, done, progress)
        if target is not None and (verdicts or not interrupted):
            write_run(target, verdicts, run)
    finally:
        signal.signal(signal.SIGINT, before)
    return sorted(verdicts.values(), key=lambda verdict: (verdict.study, verdict.case)), interrupted


def _read(paths: Sequence[Path]) -> tuple[list[Case], list[Refusal]]:
    from auditor.studies.exact_output.case_files import read_cases

    cases: list[Case] = []
    refused: list[Refusal] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no file or folder {visible_line(str(path))}.")
        found, unusable = read_cases(path)
        cases += found
        refused += unusable
    return cases, refused


def _refuse_repeated_names(cases: Sequence[Case], given: BuildOptions) -> None:
    from auditor.studies.exact_output.run_files import repeated_names

    repeated = repeated_names(cases, given)
    if repeated:
        raise InputError(
            f"two cases of a study have the same name: {visible_line(repeated[0], 60)}.",
            hint="Names tell cases apart: rename one.",
        )


def _with(case: Case, study: str | None, loop: int | None, iteration: int | None, fields: str | None) -> Case:
    """Return a case with what the command line says in place of what its file says."""
    from auditor.formats.json_text import UnusableError
    from auditor.studies.exact_output.case_files import check_fields

    try:
        names = None if fields is None else check_fields([name.strip() for name in fields.split(",")])
    except UnusableError as error:
        raise InputError(f"--fields: {error}") from error
    return replace(
        case,
        study=study or case.study,
        loop=case.loop if loop is None else loop,
        iteration=case.iteration if iteration is None else iteration,
        fields=case.fields if names is None else names,
    )


def build_cases(
    cases: Sequence[Case],
    given: BuildOptions,
    jobs: int | None,
    done: dict[str, Verdict],
    progress: Callable[[str, int, int], None],
) -> tuple[dict[str, Verdict], bool]:
    """Build what is not done; return the verdicts by the digest of their case, and whether somebody interrupted it.

    After an interruption further ones are ignored, until the caller takes them up again.
    """
    import os
    from concurrent.futures import BrokenExecutor
    from contextlib import closing

    from auditor.studies.exact_output.building import build_all, end_processes, local_processes
    from auditor.studies.exact_output.run_files import digest_of

    digests = {(case.study or given.study, case.name): digest_of(case, given) for case in cases}
    kept = {digest: done[digest] for digest in digests.values() if digest in done}
    left = [case for case in cases if digests[case.study or given.study, case.name] not in kept]
    workers = min(jobs or os.cpu_count() or 1, len(left))
    pool = local_processes(workers) if workers > 1 else None
    try:
        with closing(build_all(left, given, pool)) as verdicts:
            for verdict in verdicts:
                kept[digests[verdict.study, verdict.case]] = verdict
                progress(f"{counted(len(kept), 'case')} built", len(kept), len(cases))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough: what is finished is about to be written
        return kept, True
    except BrokenExecutor as error:
        raise AuditorError("a process that builds cases was ended from outside.", "Try fewer: --jobs 1.") from error
    finally:
        if pool is not None:
            end_processes(pool)
    return kept, False


def _report(verdicts: Sequence[Verdict], refused: Sequence[Refusal], out: Path | None, missing: int) -> dict[str, Any]:
    return {
        "out": str(out) if out else None,
        "tasks": sum(len(verdict.tasks) for verdict in verdicts),
        "unfinished": missing,
        "admitted": [_row(verdict) for verdict in verdicts if verdict.admitted],
        "refused": [
            *({"where": refusal.where, "reason": "unusable", "detail": refusal.reason} for refusal in refused),
            *(
                {**_row(verdict), "reason": verdict.refusal.reason.value, "detail": verdict.refusal.detail}
                for verdict in verdicts
                if verdict.refusal
            ),
        ],
    }


def _row(verdict: Verdict) -> dict[str, Any]:
    point = verdict.point
    return {
        "study": verdict.study,
        "case": verdict.case,
        "loop": point.loop if point else None,
        "iteration": point.iteration if point else None,
        "fields": list(point.fields) if point else None,
    }


def _print(verdicts: Sequence[Verdict], refused: Sequence[Refusal], out: Path | None, dry_run: bool) -> None:
    """Print the admitted cases of a dry run, the refused ones always, and the sum."""
    admitted = [verdict for verdict in verdicts if verdict.point and verdict.admitted]
    if dry_run and admitted:
        rows = [(v.case, v.point.loop, v.point.iteration, ", ".join(v.point.fields)) for v in admitted if v.point]
        print_table(("admitted", "loop", "before iteration", "fields"), rows)
        print_text()
    rejected = [(v.case, v.refusal.reason.value, v.refusal.detail) for v in verdicts if v.refusal]
    if rejected:
        print_table(("refused", "reason", "what happened"), rejected, {"reason": ""})
        print_text()
    tasks = sum(len(verdict.tasks) for verdict in verdicts)
    sentence = f"{len(admitted):,} admitted, {len(rejected):,} refused; {counted(tasks, 'task')}"
    print_text(f"{sentence} in {out}." if out else f"{sentence}. Dry run: nothing was written.")
    say_refused(refused, "case")
