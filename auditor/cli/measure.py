"""`auditor measure`: measures of tasks that came without them."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.execution import announce
from auditor.cli.output import Progress, print_json, print_table, print_text
from auditor.text import counted

_SHOWN = 20


@click.command("measure")
@options.audit_file
@click.option("--all", "everything", is_flag=True, help="Also tasks that came with all measures, to compare them.")
@click.option("--again", is_flag=True, help="Also tasks that were measured before.")
@options.where(text="Only the tasks that this filter leaves, e.g. 'study:classic arm:long-trace-final'.")
@click.option("--unsafe", is_flag=True, help="Run programs also where the system offers no wall around them, as you.")
@click.option("--seconds", type=click.FloatRange(0.1), default=60.0, show_default=True, help="Time for each run.")
@options.as_json
@options.quiet
def measure_command(
    file: Path, everything: bool, again: bool, where: str, unsafe: bool, seconds: float, as_json: bool, quiet: bool
) -> int:
    """Measure the tasks of FILE that came without measures: complexity, trace, state, nesting, answer, branches.

    Programs run in the sandbox. What is found is kept apart from what came with the tasks, which is used where there is
    both; where the two differ, that is said. An interrupted call goes on when it is repeated. Measures are dimensions:
    in filters, as rows and columns of tables, in the queue and in exports.

    \b
    auditor measure audit.db
    auditor measure audit.db --where 'study:classic status:wrong'
    auditor accuracy audit.db --rows trace_length --bins 4
    """
    from auditor.audit.measure import MeasureOptions, measure_file

    given = MeasureOptions(everything, again, where, unsafe, seconds, announce=announce)
    with Progress(quiet or as_json) as progress:
        report = measure_file(file, given, progress)
    if as_json:
        print_json(
            {
                "protection": report.protection,
                "engine": report.engine,
                "measured": report.measured,
                "kept": report.kept,
                "endings": dict(sorted(report.endings.items())),
                "compared": report.compared,
                "differences": [one._asdict() for one in report.differences],
            }
        )
        return int(bool(report.differences))
    now = f"{counted(report.measured, 'task')} measured now with {report.engine}"
    print_text(f"{now}; {report.kept:,} had measures already.")
    for ending, count in sorted(report.endings.items()):
        if ending != "measured":
            print_text(f"{counted(count, 'task')} without some measures: {ending}.")
    if report.compared:
        print_text(f"Of {report.compared:,} measures that came with tasks {len(report.differences):,} differ.")
    if report.differences:
        rows = [list(one) for one in report.differences[:_SHOWN]]
        print_table(["task", "measure", "came, and is used", "computed"], rows, folds={"task": "/"})
        if len(report.differences) > _SHOWN:
            print_text(f"… and {len(report.differences) - _SHOWN:,} more; --json lists all.")
    return int(bool(report.differences))
