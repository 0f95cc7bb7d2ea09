"""`auditor assign` and `auditor progress`: who is to review what, and who has."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text
from auditor.errors import InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.audit.assignment import Assignment
    from auditor.audit.progress import HeldItems

_OF_THE_DRAW = ("overlap", "where", "seed", "per", "order")
"""Options that --add takes from the assignment that is there."""


@click.command("assign")
@options.audit_file
@click.option("--annotators", metavar="A,B", required=True, help="Who reviews, separated by commas.")
@click.option("--overlap", type=options.COUNT, help="Annotators of each item; default: 1, with --take all of A,B.")
@options.where("status:wrong")
@click.option("--take", type=options.COUNT, metavar="K", help="Only a sample: K items of each group.")
@click.option(
    "--per", metavar="FACETS", default="", help="The dimensions that make the groups of --take, separated by commas."
)
@click.option(
    "--order",
    type=click.Choice(["random", "smallest", "computed", "import"]),
    default="random",
    show_default=True,
    help="In which order --take takes them.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Of the draw.")
@click.option("--codebook", metavar="C", help="A codebook by name or file; default: the one that the study declares.")
@click.option("--add", is_flag=True, help="Draw only the clusters that nobody has yet.")
@click.option("--replace", is_flag=True, help="Draw everything anew; marks stay.")
@click.option("--dry-run", is_flag=True, help="Say what would be drawn and change nothing.")
@options.as_json
def assign_command(
    file: Path,
    annotators: str,
    overlap: int | None,
    where: str,
    take: int | None,
    per: str,
    order: str,
    seed: int,
    codebook: str | None,
    add: bool,
    replace: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Share the items of a filter among people: whole clusters are drawn, and each item has as many annotators.

    With --take the items are a random sample, and all annotators have the same ones unless --overlap is smaller.

    Each reviews their own part with: auditor review FILE --annotator NAME --assigned --blind

    \b
    auditor assign audit.db --annotators ana,ben --take 50
    auditor assign audit.db --annotators ana,ben,cem --take 2 --per setting,arm --seed 7
    auditor assign audit.db --annotators ana,ben,cem --overlap 2
    auditor assign audit.db --annotators ana,ben,cem --add
    """
    from auditor.audit.assignment import assign
    from auditor.formats.annotation_records import SampleDraw

    if add and replace:
        raise InputError("--add and --replace exclude each other.")
    source = click.get_current_context().get_parameter_source
    given = {name for name in _OF_THE_DRAW if source(name) is not ParameterSource.DEFAULT}
    if add and given:
        raise InputError(
            "--add goes on with the filter, overlap, order, groups and seed of the assignment that is there.",
            hint="Leave these options out, or draw everything anew with --replace.",
        )
    if take is None and given & {"per", "order"}:
        raise InputError("--per and --order say how --take draws, which is not given.", hint="Add e.g. --take 50.")
    groups = tuple(name.strip() for name in per.split(",") if name.strip())
    done = assign(
        file,
        annotators.split(","),
        overlap=overlap,
        where=where,
        seed=seed,
        draw=None if take is None else SampleDraw(take, groups, order),
        codebook=codebook,
        when="add" if add else "replace" if replace else "new",
        dry_run=dry_run,
    )
    if as_json:
        shares, pairs = ([one._asdict() for one in many] for many in (done.shares, done.pairs))
        print_json(done._asdict() | {"shares": shares, "pairs": pairs})
        return 0
    print_table(["annotator", "clusters", "items"], [list(share) for share in done.shares])
    if done.overlap > 1:
        print_text()
        rows = [[f"{pair.first} and {pair.second}", pair.clusters, pair.items] for pair in done.pairs]
        print_table(["both review", "clusters", "items"], rows)
    print_text()
    print_text(
        f"{_sample_words(done)}{counted(done.items, 'item')} of {counted(done.clusters, 'cluster')} under the codebook"
        f" {visible_line(done.codebook)}, {counted(done.overlap, 'annotator')} for each, seed {done.seed};"
        f" {counted(done.added, 'cluster')} {'would be ' if dry_run else ''}drawn now."
    )
    if not dry_run:
        command = ["auditor", "review", str(file), "--annotator", done.shares[0].annotator, "--assigned", "--blind"]
        command += [] if codebook is None else ["--codebook", codebook]
        print_text(f"Each goes on with such a command: {visible_line(' '.join(map(shlex.quote, command)))}", wrap=False)
    return 0


def _sample_words(done: Assignment) -> str:
    """Say how a sample was drawn: `At most 2 per arm, setting in random order: `; empty where it is none."""
    if done.take is None:
        return ""
    groups = (
        f"At most {done.take:,} per {visible_line(', '.join(done.per))}" if done.per else f"The first {done.take:,}"
    )
    return f"{groups} in {'order of import' if done.order == 'import' else f'{done.order} order'}: "


@click.command("progress")
@options.audit_file
@options.where("status:wrong", "The items whose reviews are counted.")
@options.as_json
def progress_command(file: Path, where: str, as_json: bool) -> int:
    """Show who has reviewed what in FILE, how many people have reviewed each item, and who holds items now.

    \b
    auditor progress audit.db
    """
    from auditor.audit.progress import review_progress

    found = review_progress(file, where)
    if as_json:
        print_json(asdict(found))
        return 0
    if not found.annotators:
        print_text("Nobody has reviewed anything, and nothing is assigned.")
        _print_held(found.held)
        return 0
    columns = ["annotator", "kind", "codebook", "assigned", "left", "reviewed", "begun", "deferred", "again", "tags"]
    columns.append("last at")
    rows = [
        [
            *(one.annotator, one.kind, one.codebook, one.assigned, one.left, one.reviewed, one.begun, one.deferred),
            *(one.again, one.tags),
            one.last_at and f"{one.last_at[:10]} {one.last_at[11:16]}",
        ]
        for one in found.annotators
    ]
    print_table(columns, rows)
    print_text()
    print_table(
        ["codebook", "people who reviewed it", "items"], [[one.codebook, one.reviews, one.items] for one in found.items]
    )
    if any(one.again for one in found.annotators):
        again = "again: items that need another look since the codebook changed; `auditor review --stale` opens them."
        print_text(again)
    print_text(f"Counted: the items of {visible_line(where)!r}." if where else "Counted: all items.")
    if found.left_out:
        print_text(f"Not among them: {counted(found.left_out, 'item')} of target:subject, which people judge.")
    _print_held(found.held)
    return 0


def _print_held(held: Sequence[HeldItems]) -> None:
    from auditor.audit.leased_queue import clock

    if held:
        print_text()
        columns = ["held now by", "codebook", "items", "until, unless renewed"]
        print_table(columns, [[one.annotator, one.codebook, one.items, clock(one.until)] for one in held])
