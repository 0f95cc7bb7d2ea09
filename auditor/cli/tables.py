"""`auditor accuracy`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from auditor.cli import options, statistics_options
from auditor.cli.output import print_table, print_text, terminal_width
from auditor.cli.table import Number
from auditor.cli.table_files import put_tables, table_file, target_of
from auditor.cli.wide_table import fitted
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.tabulate import AccuracyTable


_WHERE = "Only the items that this filter leaves, e.g. 'language:python loc<20'."


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
@click.option(
    "--outcome",
    metavar="EXPR",
    help="Tabulate another outcome than a right answer, e.g. mode.computed:off_by_one or tag:arithmetic.",
)
@statistics_options.whose_tags
@click.option(
    "--pass-at", type=click.IntRange(1, 10_000), metavar="K", help="Tabulate pass@K of tasks with several sessions."
)
@click.option("--against", metavar="COL", help="Add the differences of the other columns to this one, with adjusted p.")
@click.option("--policy", metavar="P", help="Judge the graded answers by this policy, e.g. verdict-only.")
@click.option("--layout", metavar="L", help="Lay the tables out as a paper has them, e.g. prex-table6 or core-table1.")
@options.where(text=_WHERE)
@table_file
@options.bootstrap
@options.as_json
def accuracy_command(
    file: Path,
    rows: tuple[str, ...],
    cols: tuple[str, ...],
    bins: int | None,
    outcome: str | None,
    codebook: str | None,
    annotators: tuple[str, ...],
    adjudicated: bool,
    with_correct: bool,
    pass_at: int | None,
    against: str | None,
    policy: str | None,
    layout: str | None,
    where: str,
    output: Path | None,
    form: str | None,
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
    auditor accuracy audit.db --cols mode --against off
    auditor accuracy audit.db --outcome tag:arithmetic
    auditor accuracy audit.db --pass-at 5
    auditor accuracy audit.db --policy verdict-only
    auditor accuracy audit.db --layout prex-table6 -o table.md
    auditor accuracy audit.db --layout core-table1
    """
    target = target_of(output, form, force, as_json)
    if layout is not None:
        from auditor.analysis import Resampling
        from auditor.audit.layouts import find_layout
        from auditor.cli.layouts import show_layout

        _refuse_with_layout(click.get_current_context(), resamples=find_layout(layout).resamples)
        return show_layout(file, layout, where, policy, Resampling(replicates, seed, confidence), target)
    from auditor.audit.accuracy_layout import accuracy_laid_out
    from auditor.audit.tabulate import accuracy
    from auditor.store.file import one_state, open_for_reading, translate
    from auditor.store.responses import require_responses

    question = statistics_options.question_of(outcome, codebook, annotators, adjudicated, with_correct)
    with closing(open_for_reading(file)) as connection, one_state(connection):
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
                question=question,
                pass_at=pass_at,
                against=against,
            )
        except sqlite3.Error as error:
            raise translate(error, file) from error
    put_tables(
        target,
        lambda: accuracy_laid_out(table, rows, cols),
        lambda: _accuracy_json(table),
        lambda: print_accuracy(table, rows, cols, file),
    )
    return 0


def _refuse_with_layout(context: click.Context, *, resamples: bool) -> None:
    """Refuse what a layout decides by itself."""
    names = ["rows", "cols", "bins", "outcome", "annotators", "adjudicated", "pass_at", "against"]
    for name in names if resamples else [*names, "replicates", "seed", "confidence"]:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = {"annotators": "annotator"}.get(name, name.replace("_", "-"))
            raise InputError(f"--{option} does not go with --layout, which says itself what its tables are.")


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
        "outcome": table.outcome,
        "readers": list(table.readers),
        "pass_at": table.pass_at,
        "against": table.against and _plain(table.against),
        "differences": [
            {
                "row": _plain(one.row),
                "col": _plain(one.col),
                "difference": one.value,
                "ci": one.ci and list(one.ci),
                "p": one.p,
                "p_adjusted": one.adjusted,
                "reason": one.reason,
            }
            for one in table.differences
        ],
    }


def print_accuracy(table: AccuracyTable, rows: tuple[str, ...], cols: tuple[str, ...], file: Path) -> None:
    """Print an accuracy table with both denominators, intervals, and how they were computed."""
    from auditor.audit.accuracy_layout import accuracy_laid_out, how_to_read, table_notes
    from auditor.store.file import shell_path

    # Where no task has as many sessions as pass@k asks for, the notes say so: a table of nothing says less.
    something = table.pass_at is None or any(cell.completed for cell in table.cells)
    for laid_out in accuracy_laid_out(table, rows, cols).tables if something else ():
        names = laid_out.names
        if table.differences:
            print_text(f"{visible_line(laid_out.title)}\n")
        for columns, lines in fitted(laid_out.columns, laid_out.rows, names, terminal_width()):
            cells = [
                [*line[:names], *(None if cell == "-" else Number(cell) for cell in line[names:])] for line in lines
            ]
            print_table(columns, cells)
            print_text()
    for note in (*table_notes(table, shell_path(file)), *how_to_read(table)):
        print_text(note)
