"""`auditor regress`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import click

from auditor.cli import options, statistics_options
from auditor.cli.output import Progress
from auditor.cli.table_files import put_tables, show_laid_out, table_file, target_of
from auditor.errors import InputError
from auditor.text import visible_line


def _references(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for one in value:
        name, equals, level = one.partition("=")
        if not name or not equals:
            raise InputError(f"--reference {visible_line(one, 60)} is no FACTOR=LEVEL.", hint="Such as study=classic.")
        found[name] = level
    return found


@click.command("regress")
@options.audit_file
@statistics_options.question
@click.option(
    "--factors",
    metavar="D",
    default="study,arm,setting",
    show_default=True,
    callback=statistics_options.names,
    help="Dimensions with an intercept for each value, separated by commas; '' for none.",
)
@click.option(
    "--measures",
    metavar="M",
    default="trace_length,peak_state,state_load",
    show_default=True,
    callback=statistics_options.names,
    help="Measures whose base-2 logarithms are predictors, separated by commas; '' for none.",
)
@click.option(
    "--reference",
    "references",
    metavar="FACTOR=LEVEL",
    multiple=True,
    callback=_references,
    help="With which value of a factor the others are compared; default: the first one that was imported.",
)
@options.where(text="Only the items that this filter leaves, e.g. 'language:python NOT study:networkx'.")
@options.confidence
@table_file
@options.as_json
@options.quiet
def regress_command(
    file: Path,
    outcome: str,
    codebook: str | None,
    annotators: tuple[str, ...],
    adjudicated: bool,
    with_correct: bool,
    factors: tuple[str, ...],
    measures: tuple[str, ...],
    references: dict[str, str],
    where: str,
    confidence: float,
    output: Path | None,
    form: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Regress errors, or any outcome, on study, arm, setting and measures, by a logit with clustered uncertainty.

    A row is a completed response. An odds ratio of a measure is for each doubling of it. The covariance sums scores by
    clean source, with the factor G/(G-1) x (N-1)/(N-p) and t(G-1) intervals; convergence, rank, conditioning and
    separation are checked. An outcome that asks for a tag is fitted for each annotator and for final tags, on the
    responses that they reviewed. Needs statsmodels: pip install 'auditor[analysis]'.

    \b
    auditor regress audit.db --where language:python
    auditor regress audit.db --measures trace_length,peak_state -o table.tex
    auditor regress audit.db --outcome tag:arithmetic --measures trace_length --with-correct
    """
    target = target_of(output, form, force, as_json)
    from auditor.audit.regress import RegressOptions, regress
    from auditor.audit.regression_layout import regression_json, regression_laid_out
    from auditor.store.file import one_state, open_for_reading, translate
    from auditor.store.responses import require_responses

    question = statistics_options.question_of(outcome, codebook, annotators, adjudicated, with_correct)
    assert question is not None  # the outcome has a default
    given = RegressOptions(question, factors, measures, where, confidence, references)
    with closing(open_for_reading(file)) as connection, one_state(connection), Progress(quiet) as progress:
        try:
            require_responses(connection, file)
            found = regress(connection, file, given, progress)
        except sqlite3.Error as error:
            raise translate(error, file) from error
    laid_out = regression_laid_out(found)
    put_tables(target, lambda: laid_out, lambda: regression_json(found), lambda: show_laid_out(laid_out))
    return 0
