"""`auditor grade`: grade all responses and compute their failure modes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.audit.doubts import doubts
from auditor.cli import options
from auditor.cli.execution import announce, execution_json, print_execution, print_settled
from auditor.cli.output import Progress, print_json, print_table, print_text
from auditor.errors import InputError
from auditor.text import counted

if TYPE_CHECKING:
    from auditor.audit.grade import Flip, GradeReport

_SHOWN = 10


@click.command("grade")
@options.audit_file
@click.option("--policy", metavar="P", help="Grade output and state tasks under this policy instead of their study's.")
@click.option("--compare", metavar="P", help="Change nothing; say which verdicts this policy would flip.")
@click.option(
    "--execute",
    is_flag=True,
    help="Run programs and predicted calls first, in a sandbox; what is kept from earlier is not run again.",
)
@click.option("--unsafe", is_flag=True, help="Run them also where the system offers no wall around them, as you.")
@click.option("--diagnose", is_flag=True, help="With --execute, try what mistake explains each wrong prediction; slow.")
@click.option("--faults", type=click.IntRange(1), default=1_500, show_default=True, help="Programs tried of each task.")
@click.option(
    "--seconds",
    type=options.FiniteRange(0),
    default=20.0,
    show_default=True,
    help="Processor time of these programs, of each task.",
)
@options.as_json
@options.quiet
def grade_command(
    file: Path,
    policy: str | None,
    compare: str | None,
    execute: bool,
    unsafe: bool,
    diagnose: bool,
    faults: int,
    seconds: float,
    as_json: bool,
    quiet: bool,
) -> int:
    """Grade every response in FILE: envelope, correctness, and the computed failure mode with its evidence.

    Grading again replaces earlier grades. A prediction that is no literal is counted as wrong under `python-literal`
    and listed, since only executing it could tell more; a predicted call has no grade until it is executed. With
    --execute every task's program is run as well: where it gives another output than the oracle, the oracle is
    disputed, which is said and counted, and no verdict changes by it.

    With --diagnose as well, each wrong prediction about a Python program is looked for among what the program would
    give with a single mistake, and among the states of other iterations; docs/diagnosis.md says what is claimed.

    \b
    auditor grade audit.db
    auditor grade audit.db --execute
    auditor grade audit.db --execute --diagnose --seconds 10
    auditor grade audit.db --compare bytes
    """
    from auditor.audit.grade import grade_file

    if unsafe and not execute:
        raise InputError("--unsafe says how programs are run, and none are.", hint="Give --execute with it.")
    if diagnose and not execute:
        raise InputError("--diagnose runs programs.", hint="Give --execute with it.")
    if execute and compare is not None:
        raise InputError("--compare changes nothing, so it runs nothing.", hint="Give --execute first, without it.")
    executing = None
    if execute:
        from auditor.audit.execute import Executing
        from auditor.diagnosis.case import Budget

        budget = Budget(faults, seconds) if diagnose else None
        executing = Executing(unsafe, diagnose=budget, announce=announce)
    with Progress(quiet or as_json) as progress:
        report = grade_file(file, policy=policy, compare=compare, execute=executing, progress=progress)
    keys = _keys(file, report.non_literal)
    differing = _keys(file, report.logged_differs)
    if as_json:
        value = {
            "responses": report.responses,
            "graded": report.graded,
            "statuses": _sorted(report.statuses),
            "modes": _sorted(report.modes),
            "extractions": _sorted(report.extractions),
            "non_literal": len(report.non_literal),
            "disputed": report.modes["oracle_disputed"],
            "absent_cells": report.absent_cells,
            "invalid": report.invalid,
            "ungraded": _sorted(report.ungraded),
            "non_literal_items": keys,
            "logged": report.logged,
            "logged_differs": differing,
            "logged_non_literal": report.logged_non_literal,
            "settled": _sorted(report.settled),
            "calls": _sorted(report.calls),
        }
        if report.execution is not None:
            value["execution"] = execution_json(report.execution)
        if compare is not None:
            to_wrong = sum(flip.was_correct for flip in report.flips)
            value["compare"] = {
                "policy": compare,
                "compared": report.compared,
                "correct_to_wrong": to_wrong,
                "wrong_to_correct": len(report.flips) - to_wrong,
                "items": [
                    {"item": str(flip.key), "verdict": "correct" if flip.was_correct else "wrong"}
                    for flip in report.flips
                ],
            }
        print_json(value)
        return 0
    print_table(["status", "responses"], list(_sorted(report.statuses).items()))
    print_text()
    print_table(["computed mode", "responses"], list(_sorted(report.modes).items()))
    print_text(
        f"\n{report.graded:,} of {report.responses:,} responses graded;"
        f" {counted(report.absent_cells, 'planned cell')} {'has' if report.absent_cells == 1 else 'have'} no row."
    )
    for line in doubts(report.invalid, report.modes["oracle_disputed"]):
        print_text(line)
    for reason, count in report.ungraded.items():
        print_text(f"{count:,} not graded: {reason}.")
    if keys and report.settled:
        print_settled("prediction that is no literal", report.settled)
    elif keys:
        several = f"{len(keys):,} predictions are no literals and count"
        some = "1 prediction is no literal and counts" if len(keys) == 1 else several
        print_text(f"{some} as wrong, unless --execute can tell their value; --json lists all of them:")
        for key in keys[:_SHOWN]:
            print_text(f"  {key}")
    print_settled("predicted call", report.calls)
    if report.execution is not None:
        print_execution(report.execution)
    if report.logged or report.logged_non_literal:
        _print_logged(report, differing)
    if compare is not None:
        _print_flips(report.flips, report.compared, compare)
    return 0


def _print_logged(report: GradeReport, differing: list[str]) -> None:
    apart = f" ({counted(report.logged_non_literal, 'prediction')} that are no literals left aside)"
    print_text(
        f"{counted(report.logged, 'response')} came with a logged verdict"
        f"{apart if report.logged_non_literal else ''}: {len(differing):,} graded otherwise"
        f"{'; --json lists all' if len(differing) > _SHOWN else ''}{':' if differing else '.'}"
    )
    for key in differing[:_SHOWN]:
        print_text(f"  {key}")


def _print_flips(rows: list[Flip], compared: int, policy: str) -> None:
    if not rows:
        print_text(f"\nUnder {policy}, none of {counted(compared, 'verdict')} differs (nothing was changed).")
        return
    counts = Counter((flip.key.study, flip.was_correct) for flip in rows)
    print_text(f"\nUnder {policy}, {len(rows):,} of {compared:,} verdicts differ (nothing was changed):")
    studies = dict.fromkeys(flip.key.study for flip in rows)
    print_table(
        ["study", "correct to wrong", "wrong to correct"],
        [[study, counts[study, True], counts[study, False]] for study in studies],
    )
    for flip in rows[:_SHOWN]:
        print_text(f"  {flip.key}  {'correct to wrong' if flip.was_correct else 'wrong to correct'}")
    if len(rows) > _SHOWN:
        print_text("  … --json lists all.")


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _keys(file: Path, response_ids: list[int]) -> list[str]:
    """Return the item keys of some responses."""
    from auditor.audit.inspect import item_keys

    return item_keys(file, response_ids) if response_ids else []
