"""`auditor transitions`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options, statistics_options
from auditor.cli.table_files import put_tables, show_laid_out, table_file, target_of

if TYPE_CHECKING:
    from auditor.audit.transitions import Transitions

_WHERE = "Only the items that this filter leaves, e.g. 'language:python loc<20'."


@click.command("transitions")
@options.audit_file
@click.option("--from", "from_where", metavar="EXPR", required=True, help="The one side, e.g. arm:short-trace-final.")
@click.option("--to", "to_where", metavar="EXPR", required=True, help="The other side, e.g. arm:long-trace-final.")
@click.option("--outcome", metavar="EXPR", help="Compare another outcome than a right answer, e.g. tag:arithmetic.")
@statistics_options.whose_tags
@options.where(text=_WHERE)
@options.bootstrap
@table_file
@options.as_json
def transitions_command(
    file: Path,
    from_where: str,
    to_where: str,
    outcome: str | None,
    codebook: str | None,
    annotators: tuple[str, ...],
    adjudicated: bool,
    with_correct: bool,
    where: str,
    replicates: int,
    seed: int,
    confidence: float,
    output: Path | None,
    form: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Pair responses that agree in all but what --from and --to fix, and count how verdicts change.

    Two arms of a case under one setting, or two settings of a task. Only pairs with both replies count; the difference
    is the from side minus the to side in percentage points, its interval resamples whole clusters. Where cases have
    several sessions, they are counted by how many are right on each side. With --outcome the pairs are compared by that
    instead; one that asks for a tag needs --annotator or --adjudicated.

    \b
    auditor transitions audit.db --from arm:short-trace-final --to arm:long-trace-final
    auditor transitions audit.db --from mode:high --to mode:off
    auditor transitions audit.db --from mode:high --to mode:off --outcome tag:arithmetic --adjudicated
    """
    target = target_of(output, form, force, as_json)
    from auditor.audit.transition_layout import transitions_laid_out
    from auditor.audit.transitions import transitions
    from auditor.store.file import one_state, open_for_reading, translate
    from auditor.store.responses import require_responses

    question = statistics_options.question_of(outcome, codebook, annotators, adjudicated, with_correct)
    with closing(open_for_reading(file)) as connection, one_state(connection):
        try:
            require_responses(connection, file)
            found = transitions(
                connection,
                from_where,
                to_where,
                where,
                replicates=replicates,
                seed=seed,
                confidence=confidence,
                question=question,
            )
        except sqlite3.Error as error:
            raise translate(error, file) from error
    laid_out = transitions_laid_out(found, from_where, to_where)
    put_tables(target, lambda: laid_out, lambda: _document(found), lambda: show_laid_out(laid_out))
    return 0


def _document(found: Transitions) -> dict[str, Any]:
    return {**asdict(found), "sessions": [one._asdict() for one in found.sessions]}
