"""`auditor transitions`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from auditor.audit.doubts import doubts
from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text
from auditor.text import visible_line

_WHERE = "Only the items that this filter leaves, e.g. 'language:python loc<20'."


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
                f" ({found.replicates:,} replicates of whole clusters, percentiles, {found.generator},"
                f" seed {found.seed})."
            )
        print_text(f"Difference, from minus to: {found.difference:+.2f} points, {interval}")
        if found.reason:
            print_text(found.reason)
    for line in doubts(found.invalid, found.disputed):
        print_text(line)
    return 0
