"""Building cases for a command: side by side, with progress, stopping in order, and what is printed of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.cli.build_stopping import Stopped, Stopping, Where, interrupts_restored
from auditor.cli.output import print_json, print_table, print_text, say, say_refused
from auditor.errors import InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from auditor.formats.records import Refusal
    from auditor.studies.exact_output.building import BuildOptions
    from auditor.studies.exact_output.case import Case, Verdict
    from auditor.studies.exact_output.run_files import RunOptions


def run_build(
    cases: Sequence[Case],
    given: BuildOptions,
    run: RunOptions,
    where: Where,
    target: Path | None,
    progress: Callable[[str, int, int], None],
) -> tuple[list[Verdict], Stopped | None]:
    """Build, and write what is finished where there is a target; return it by name, and why it stopped early."""
    from auditor.studies.exact_output.run_files import check_target, earlier_verdicts, write_run

    done: dict[str, Verdict] = {}
    if target is not None:
        check_target(target)
        done = earlier_verdicts(target)
    with interrupts_restored():
        verdicts, stopped = build_cases(cases, given, where, done, progress, target)
        if target is not None and (verdicts or not stopped):
            write_run(target, verdicts, run)
    return sorted(verdicts.values(), key=lambda verdict: (verdict.study, verdict.case)), stopped


def build_cases(
    cases: Sequence[Case],
    given: BuildOptions,
    where: Where,
    done: dict[str, Verdict],
    progress: Callable[[str, int, int], None],
    target: Path | None = None,
) -> tuple[dict[str, Verdict], Stopped | None]:
    """Build what is not done; return the verdicts by the digest of their case, and why it stopped before the end.

    Where there is a target, each is kept beside it at once. After an interruption further ones are ignored, until the
    caller takes them up again.
    """
    from contextlib import closing

    from auditor.studies.exact_output.building import build_all
    from auditor.studies.exact_output.run_files import digest_of, keep

    digests = {(case.study or given.study, case.name): digest_of(case, given) for case in cases}
    kept = {digest: done[digest] for digest in digests.values() if digest in done}
    left = [case for case in cases if digests[case.study or given.study, case.name] not in kept]
    stop = Stopping()
    with stop, where.executor(len(left)) as executor, closing(build_all(left, given, executor)) as verdicts, stop:
        for verdict in verdicts:
            digest = digests[verdict.study, verdict.case]
            kept[digest] = verdict
            if target is not None:
                keep(target, digest, verdict)
            progress(f"{counted(len(kept), 'case')} built", len(kept), len(cases))
    return kept, stop.why


def report_build(
    verdicts: Sequence[Verdict],
    refused: Sequence[Refusal],
    target: Path | None,
    cases: int,
    stopped: Stopped | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Print what came of a build, and return its exit code."""
    missing = cases - len(verdicts)
    if as_json:
        print_json(_report(verdicts, refused, target, missing))
    else:
        _print(verdicts, refused, target, dry_run)
    if any(task.language == "cpp" and "cyclomatic" not in task.measures for v in verdicts for task in v.tasks):
        say("C++ tasks have no cyclomatic complexity: lizard is not installed; pip install 'auditor[cpp]'.")
    if stopped is not None:
        say(f"auditor: {stopped.sentence.rstrip('.')}; {counted(len(verdicts), 'case')} finished, {missing:,} not.")
        if target is not None:
            say("The same command goes on from there.")
        return stopped.exit_code
    return int(bool(refused) or any(not verdict.admitted for verdict in verdicts))


def refuse_repeated_names(cases: Sequence[Case], given: BuildOptions) -> None:
    """Raise InputError when two cases of a study have the same name."""
    from auditor.studies.exact_output.run_files import repeated_names

    repeated = repeated_names(cases, given)
    if repeated:
        raise InputError(
            f"two cases of a study have the same name: {visible_line(repeated[0], 60)}.",
            hint="Names tell cases apart: rename one.",
        )


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
