"""`auditor accuracy` and `auditor transitions`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from auditor.audit.doubts import doubts
from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text
from auditor.cli.table import Number
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.tabulate import AccuracyTable, Rate


_WHERE = "Only the items that this filter leaves, e.g. 'language:python loc<20'."
_TO = "\u2013"
"""Between the ends of an interval, which so stays on one line of a narrow table."""


def _names(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@click.command("accuracy")
@options.audit_file
@click.option(
    "--rows",
    metavar="D",
    default="setting",
    show_default=True,
    callback=_names,
    help="Dimensions of the rows, separated by commas.",
)
@click.option(
    "--cols",
    metavar="D",
    default="arm",
    show_default=True,
    callback=_names,
    help="Dimensions of the columns, separated by commas; '' for one column.",
)
@click.option(
    "--bins",
    type=click.IntRange(2, 100),
    metavar="N",
    help="Put the values of a measure into N groups with about as many responses each.",
)
@click.option("--policy", metavar="P", help="Judge the graded answers by this policy, e.g. verdict-only.")
@click.option("--layout", metavar="L", help="Lay the tables out as a paper has them, e.g. prex-table6.")
@options.where(text=_WHERE)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write a layout to this .csv or .md file.")
@click.option("--force", is_flag=True, help="Replace that file.")
@options.bootstrap
@options.as_json
def accuracy_command(
    file: Path,
    rows: tuple[str, ...],
    cols: tuple[str, ...],
    bins: int | None,
    policy: str | None,
    layout: str | None,
    where: str,
    output: Path | None,
    force: bool,
    replicates: int,
    seed: int,
    confidence: float,
    as_json: bool,
) -> int:
    """Print accuracy by any dimensions, under both denominators.

    Each cell gives correct answers over completed responses, then over all planned cells (a missing response counts as
    wrong), in percent. Dimensions: study, case, arm, setting, model, mode, prompting, language, sample, and any facet
    or measure by its name.

    \b
    auditor accuracy audit.db
    auditor accuracy audit.db --rows setting --cols study --json
    auditor accuracy audit.db --rows trace_length --bins 4
    auditor accuracy audit.db --policy verdict-only
    auditor accuracy audit.db --layout prex-table6 -o table.md
    """
    if layout is not None:
        _refuse_with_layout(click.get_current_context())
        from auditor.cli.layouts import show_layout

        return show_layout(file, layout, where, policy, output=output, force=force, as_json=as_json)
    if output is not None or force:
        raise InputError("-o and --force are for a layout.", hint="Give --layout with them, or use --json.")
    from auditor.audit.tabulate import accuracy
    from auditor.store.file import open_for_reading, translate
    from auditor.store.responses import require_responses

    with closing(open_for_reading(file)) as connection:
        try:
            require_responses(connection, file)
            table = accuracy(
                connection,
                rows=rows,
                cols=cols,
                where=where,
                replicates=replicates,
                seed=seed,
                confidence=confidence,
                bins=bins,
                policy=policy,
            )
        except sqlite3.Error as error:
            raise translate(error, file) from error
    if as_json:
        print_json(_accuracy_json(table))
    else:
        print_accuracy(table, rows, cols, file)
    return 0


def _refuse_with_layout(context: click.Context) -> None:
    """Refuse what a layout decides by itself."""
    for name in ("rows", "cols", "bins", "replicates", "seed", "confidence"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InputError(f"--{name} does not go with --layout, which says itself what its tables are.")


def _label(group: tuple[Any, ...], names: tuple[str, ...]) -> str:
    return " ".join(
        f"(no {name})" if value is None else '""' if value == "" else str(value)
        for name, value in zip(names, group, strict=True)
    )


def _plain(group: tuple[Any, ...]) -> Any:
    """Return one dimension's value as it is, several as a list."""
    return group[0] if len(group) == 1 else list(group) if group else None


def _accuracy_json(table: AccuracyTable) -> dict[str, Any]:
    return {
        "rows": [_plain(row) for row in table.rows],
        "cols": [_plain(col) for col in table.cols],
        "cells": [
            {
                "row": _plain(cell.row),
                "col": _plain(cell.col),
                "correct": cell.correct,
                "completed": cell.completed,
                "planned": cell.planned,
                "clusters": cell.clusters,
                "completed_accuracy": cell.completed_accuracy.value,
                "planned_accuracy": cell.planned_accuracy.value,
                "completed_ci": cell.completed_accuracy.ci and list(cell.completed_accuracy.ci),
                "planned_ci": cell.planned_accuracy.ci and list(cell.planned_accuracy.ci),
                "completed_replicates_undefined": cell.completed_accuracy.replicates_undefined,
                "ci_method": cell.ci_method,
                "reason": cell.completed_accuracy.reason or cell.planned_accuracy.reason,
            }
            for cell in table.cells
        ],
        "replicates": table.replicates,
        "seed": table.seed,
        "confidence": table.confidence,
        "policy": table.policy,
        "note": table.note,
        "invalid": table.invalid,
        "disputed": table.disputed,
    }


def print_accuracy(table: AccuracyTable, rows: tuple[str, ...], cols: tuple[str, ...], file: Path) -> None:
    """Print an accuracy table with both denominators, intervals, and how they were computed."""
    from auditor.store.file import shell_path

    cells = {(cell.row, cell.col): cell for cell in table.cells}
    lines = []
    for row in table.rows:
        line: list[Any] = [_label(row, rows)]
        for col in table.cols:
            cell = cells.get((row, col))
            if cell is None:
                line.append(None)
                continue
            rates = [
                "undefined" if rate.value is None else percent(cell.correct, total)
                for rate, total in ((cell.completed_accuracy, cell.completed), (cell.planned_accuracy, cell.planned))
            ]
            shown = "undefined" if set(rates) == {"undefined"} else "/".join(rates)
            parts = [shown, _interval(cell.completed_accuracy), f"n={cell.completed:,}"]
            line.append(Number(" ".join(filter(None, parts))))
        lines.append(line if rows else line[1:])
    heads = [_label(col, cols) if cols else "accuracy" for col in table.cols]
    print_table([*([" ".join(rows)] if rows else []), *heads], lines)
    print_text()
    reasons = {rate.reason for cell in table.cells for rate in (cell.completed_accuracy, cell.planned_accuracy)}
    if any(reason and "not graded" in reason for reason in reasons):
        # What the note says to run then grades all that is not graded.
        how = "" if "--execute" in (table.note or "") else f" Run: auditor grade {shell_path(file)}"
        print_text(f"A rate is undefined while replies are not graded.{how}")
    for reason in sorted(reason for reason in reasons if reason and "not graded" not in reason):
        print_text(reason)
    if table.policy:
        print_text(f"Answers are judged by the policy {table.policy}.")
    if table.note:
        print_text(f"Note: {table.note}")
    for sentence in doubts(table.invalid, table.disputed):
        print_text(sentence)
    print_text(
        "Percent correct of completed / of planned responses, [interval of the first], n = completed."
        f" {100 * table.confidence:.4g} % intervals: {table.replicates:,} bootstrap replicates of whole clusters,"
        f" percentiles, seed {table.seed}; Wilson where every cluster has one row."
    )


def percent(part: int, whole: int) -> str:
    """Return a rate in percent with one digit; from the counts, since 100 * (part / whole) can miss a tie."""
    return f"{100 * part / whole:.1f}"


def _interval(rate: Rate) -> str:
    return "" if rate.ci is None else f"[{100 * rate.ci[0]:.1f}{_TO}{100 * rate.ci[1]:.1f}]"


@click.command("transitions")
@options.audit_file
@click.option("--from", "from_where", metavar="EXPR", required=True, help="The one side, e.g. arm:short-trace-final.")
@click.option("--to", "to_where", metavar="EXPR", required=True, help="The other side, e.g. arm:long-trace-final.")
@options.where(text=_WHERE)
@options.bootstrap
@options.as_json
def transitions_command(
    file: Path,
    from_where: str,
    to_where: str,
    where: str,
    replicates: int,
    seed: int,
    confidence: float,
    as_json: bool,
) -> int:
    """Pair responses that agree in all but what --from and --to fix, and count how verdicts change.

    Two arms of a case under one setting, or two settings of a task. Only pairs with both replies count; the difference
    is the from side minus the to side in percentage points, its interval resamples whole clusters.

    \b
    auditor transitions audit.db --from arm:short-trace-final --to arm:long-trace-final
    auditor transitions audit.db --from mode:high --to mode:off
    """
    from auditor.audit.transitions import transitions
    from auditor.store.file import open_for_reading, translate
    from auditor.store.responses import require_responses

    with closing(open_for_reading(file)) as connection:
        try:
            require_responses(connection, file)
            found = transitions(
                connection, from_where, to_where, where, replicates=replicates, seed=seed, confidence=confidence
            )
        except sqlite3.Error as error:
            raise translate(error, file) from error
    if as_json:
        print_json(asdict(found))
        return 0
    print_text(f"From {visible_line(from_where)} to {visible_line(to_where)}:\n")
    print_table(
        ["", "to: correct", "to: wrong"],
        [
            ["from: correct", found.both_correct, found.correct_to_wrong],
            ["from: wrong", found.wrong_to_correct, found.both_wrong],
        ],
    )
    print_text(
        f"\nPairs: {found.pairs:,}. Clusters: {found.clusters:,}. Replies without a partner: {found.unpaired:,}."
    )
    if found.difference is None:
        print_text(f"The difference is undefined. {visible_line(found.reason or '')}")
    else:
        interval = "no interval."
        if found.ci_low is not None:
            interval = (
                f"{100 * found.confidence:.4g} % interval [{found.ci_low:.2f}, {found.ci_high:.2f}]"
                f" ({found.replicates:,} replicates of whole clusters, percentiles, seed {found.seed})."
            )
        print_text(f"Difference, from minus to: {found.difference:+.2f} points, {interval}")
        if found.reason:
            print_text(found.reason)
    for line in doubts(found.invalid, found.disputed):
        print_text(line)
    return 0
