"""What `grade --execute` says: the protection in force, what came of tasks and predictions, disputed oracles."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from auditor.cli.output import print_table, print_text, say
from auditor.text import counted

if TYPE_CHECKING:
    from auditor.audit.execute import ExecutionReport
    from auditor.execution.protection import Protection

_SHOWN = 10


def announce(protection: Protection) -> None:
    """Say on the standard error what protects this machine, where that is not all there should be."""
    if not protection.complete:
        say(protection.sentence)


def execution_json(report: ExecutionReport) -> dict[str, Any]:
    """Return what executing found as a JSON value."""
    return {
        "protection": report.protection,
        "engines": dict(sorted(report.engines.items())),
        "jobs": report.jobs,
        "ran": report.ran,
        "tasks": {verdict: report.tasks[verdict] for verdict in ("agrees", "disputed", "failed")},
        "failures": dict(sorted(report.failures.items())),
        "not_run": dict(sorted(report.not_run.items())),
        "untold": dict(sorted(report.untold.items())),
        "disputed_tasks": report.disputed,
        "failed_tasks": [{"task": task, "ended": words} for task, words in report.failed],
    }


def print_settled(what: str, counts: Counter[str]) -> None:
    """Say how predictions were judged that only running something could judge; nothing where there are none."""
    if counts:
        words = ", ".join(f"{count:,} {how}" for how, count in sorted(counts.items()))
        print_text(f"Judged by execution, {what}: {words}.")


def print_execution(report: ExecutionReport) -> None:
    """Print what became of the tasks, those with a disputed oracle and those that came to no output."""
    print_text(f"\n{report.protection}")
    engines = ", ".join(engine for _, engine in sorted(report.engines.items()))
    kept = report.jobs - report.ran - report.untold.total()
    print_text(f"{counted(report.ran, 'job')} run by {engines or 'nothing'}; {kept:,} kept from earlier.")
    print_table(
        ["running its task", "tasks"],
        [
            ["gives the oracle", report.tasks["agrees"]],
            ["gives another output: oracle disputed", report.tasks["disputed"]],
            *([_failure(ending), count] for ending, count in sorted(report.failures.items())),
            *([f"is not done: {reason}", count] for reason, count in sorted(report.not_run.items())),
        ],
    )
    for words, count in sorted(report.untold.items()):
        print_text(f"{count:,} could not be run and will be tried again: {words}.")
    _print_some("oracle disputed", report.disputed)
    _print_some("no verdict", [f"{task}  {words}" for task, words in report.failed])


def _failure(ending: str) -> str:
    from auditor.audit.execute import VARIES

    if ending == VARIES:
        return "gives something else each time (hashes, time or chance)"
    return f"gives no output: {ending}"


def _print_some(what: str, lines: list[str]) -> None:
    for line in lines[:_SHOWN]:
        print_text(f"  {what}: {line}")
    if len(lines) > _SHOWN:
        print_text(f"  … and {len(lines) - _SHOWN:,} more; --json lists all.")
