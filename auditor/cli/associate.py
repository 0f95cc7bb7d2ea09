"""`auditor associate`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import click

from auditor.cli import options, statistics_options
from auditor.cli.output import Progress
from auditor.cli.table_files import put_tables, show_laid_out, table_file, target_of


@click.command("associate")
@options.audit_file
@statistics_options.question
@click.option(
    "--measures",
    metavar="M",
    default="trace_length,peak_state,state_load",
    show_default=True,
    callback=statistics_options.names,
    help="Measures to test, separated by commas.",
)
@click.option(
    "--by",
    metavar="D",
    default="setting,study,arm",
    show_default=True,
    callback=statistics_options.names,
    help="Dimensions that a series shares, separated by commas; without arm the arms are pooled.",
)
@click.option(
    "--family",
    metavar="EXPR",
    default="",
    help="Correct over the series that this filter takes, e.g. 'language:python arm:long-trace-final'; default: all.",
)
@click.option(
    "--alpha",
    type=options.FiniteRange(0.0001, 0.5),
    metavar="P",
    default=0.05,
    show_default=True,
    help="Which adjusted p is small enough.",
)
@options.where(text="Only the items that this filter leaves, e.g. language:python.")
@click.option(
    "--replicates",
    type=click.IntRange(100, 1_000_000),
    metavar="N",
    default=10_000,
    show_default=True,
    help="Shuffles of each series.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    default=20_261_011,
    show_default=True,
    help="Seed of the shuffles of each series.",
)
@table_file
@options.as_json
@options.quiet
def associate_command(
    file: Path,
    outcome: str,
    codebook: str | None,
    annotators: tuple[str, ...],
    adjudicated: bool,
    with_correct: bool,
    measures: tuple[str, ...],
    by: tuple[str, ...],
    family: str,
    alpha: float,
    where: str,
    replicates: int,
    seed: int,
    output: Path | None,
    form: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Test series by series whether a measure is larger among errors, or where any outcome holds.

    For each series of completed responses: theta, the chance that the measure of a failure exceeds that of a success,
    with a one-sided permutation test; over the declared family, p adjusted by Benjamini and Hochberg. A series without
    successes or without failures is inestimable, and named.

    \b
    auditor associate audit.db --where language:python --family arm:long-trace-final
    auditor associate audit.db --by setting,study --measures state_load
    auditor associate audit.db --outcome mode.computed:off_by_one --json
    """
    target = target_of(output, form, force, as_json)
    from auditor.audit.associate import AssociateOptions, associate
    from auditor.audit.association_layout import associations_json, associations_laid_out
    from auditor.store.file import one_state, open_for_reading, translate
    from auditor.store.responses import require_responses

    question = statistics_options.question_of(outcome, codebook, annotators, adjudicated, with_correct)
    assert question is not None  # the outcome has a default
    given = AssociateOptions(question, measures, by, where, family, alpha, replicates, seed)
    with closing(open_for_reading(file)) as connection, one_state(connection), Progress(quiet) as progress:
        try:
            require_responses(connection, file)
            found = associate(connection, file, given, progress)
        except sqlite3.Error as error:
            raise translate(error, file) from error
    laid_out = associations_laid_out(found)
    put_tables(target, lambda: laid_out, lambda: associations_json(found), lambda: show_laid_out(laid_out))
    return 0
