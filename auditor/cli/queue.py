"""`auditor queue`: the table of responses that the queue screen shows, and the saved filters."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import click

from auditor.audit.doubts import doubts
from auditor.cli import options
from auditor.cli.output import print_json, print_table, print_text
from auditor.errors import InputError
from auditor.text import counted, visible_line


@click.command("queue")
@options.audit_file
@options.where("status:wrong")
@click.option(
    "--order", metavar="O", default="", help="smallest (the usual one), random, disagreement, computed, import."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random order.")
@click.option(
    "--columns",
    metavar="D,…",
    default="",
    help="Dimensions; item, prediction and oracle; or state, tags, first, note, bookmark and memos.",
)
@click.option("--annotator", metavar="NAME", help="Whose states, tags and notes are shown.")
@click.option("--limit", type=options.COUNT, metavar="N", default=50, show_default=True, help="The most rows.")
@click.option("--use", metavar="NAME", help="The filter that was saved as NAME, instead of --where.")
@click.option("--save", metavar="NAME", help="Save --where and --order as NAME, for the queue screen too.")
@click.option("--forget", metavar="NAME", help="Delete the saved filter NAME.")
@click.option("--saved", "list_saved", is_flag=True, help="List the saved filters.")
@options.as_json
def queue_command(
    file: Path,
    where: str,
    order: str,
    seed: int,
    columns: str,
    annotator: str | None,
    limit: int,
    use: str | None,
    save: str | None,
    forget: str | None,
    list_saved: bool,
    as_json: bool,
) -> int:
    """Print the responses of FILE that a filter leaves, in an order: what the queue of a review shows.

    \b
    auditor queue audit.db --where status:wrong --columns item,prediction,oracle
    auditor queue audit.db --annotator ana --where 'state:deferred'
    auditor queue audit.db --where 'mode.computed:off_by_one' --save off-by-one
    """
    from auditor.audit.queue_table import find_filter, forget_filter, save_filter
    from auditor.store.file import open_for_reading
    from auditor.store.saved_filters import saved_filters

    if forget is not None:
        forget_filter(file, forget)
    if save is not None:
        save_filter(file, save, where, order)
    if list_saved or forget is not None or save is not None:
        with closing(open_for_reading(file)) as connection:
            saved = saved_filters(connection)
        if as_json:
            print_json({"filters": [one._asdict() for one in saved]})
        elif saved:
            print_table(["name", "filter", "order"], [[one.name, one.where, one.order or "smallest"] for one in saved])
        else:
            print_text("No filter is saved.")
        return 0
    if use is not None:
        with closing(open_for_reading(file)) as connection:
            chosen = find_filter(saved_filters(connection), use)
        where, order = chosen.where, order or chosen.order
    return _print_rows(file, where, order or "smallest", seed, columns, annotator, limit, as_json)


def _print_rows(
    file: Path, where: str, order: str, seed: int, columns: str, annotator: str | None, limit: int, as_json: bool
) -> int:
    from auditor.audit.queue_table import OWN, QueueTable, queue_actor
    from auditor.configuration.configuration import load_configuration
    from auditor.store.doubtful import count_disputed, count_left_out
    from auditor.store.file import open_for_reading, translate
    from auditor.store.selection import matching_responses

    try:
        with closing(open_for_reading(file)) as connection:
            actor = queue_actor(connection, annotator)
            ids = matching_responses(connection, where, order, seed=seed)
            left_out, disputed = count_left_out(connection, where), count_disputed(connection, where)
        with closing(QueueTable(file, actor)) as table:
            names = [name.strip() for name in columns.split(",") if name.strip()]
            if not names and (problem := table.use_usual_columns(load_configuration().settings.queue_columns)):
                raise InputError(problem)
            table.use_columns(names or [name for name in table.columns if actor or name not in OWN])
            rows = table.rows(ids[:limit])
            keys = [table.item_key(row.response_id) for row in rows] if as_json else []
    except sqlite3.Error as error:
        raise translate(error, file) from error
    if as_json:
        listed = [{"item": key, **row.cells} for key, row in zip(keys, rows, strict=True)]
        about = {"total": len(ids), "invalid": left_out, "disputed": disputed, "where": where, "order": order}
        print_json(about | {"rows": listed})
        return 0
    if not ids:
        print_text(f"No response matches {visible_line(where)!r}.")
        for line in doubts(left_out, 0):
            print_text(line)
        return 0
    shown = [[row.cells[name] for name in table.columns] for row in rows]
    print_table(list(table.columns), shown)
    more = f", the first {limit:,} of them here" if len(ids) > limit else ""
    print_text(f"{counted(len(ids), 'response')}{more}.")
    for line in doubts(left_out, disputed):
        print_text(line)
    return 0
