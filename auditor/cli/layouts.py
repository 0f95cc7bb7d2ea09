"""`auditor accuracy --layout`: tables as a paper lays them out, on the terminal, as JSON, CSV and Markdown."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.cli.output import print_json, print_table, print_text
from auditor.cli.table import Number
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.layouts import LaidOut


def show_layout(
    file: Path, name: str, where: str, policy: str | None, *, output: Path | None, force: bool, as_json: bool
) -> int:
    """Make the tables of a layout and print or write them."""
    from auditor.audit.layouts import lay_out
    from auditor.store.file import open_for_reading, translate
    from auditor.store.responses import require_responses

    if output is not None and output.suffix not in (".csv", ".md"):
        raise InputError("a layout is written as .csv or .md.", where=visible_line(str(output)))
    with closing(open_for_reading(file)) as connection:
        try:
            require_responses(connection, file)
            laid_out = lay_out(connection, name, where, policy)
        except sqlite3.Error as error:
            raise translate(error, file) from error
    if output is not None:
        _write(laid_out, output, force)
    if as_json:
        print_json({"layout": name, "policy": policy, "records": laid_out.records, "notes": laid_out.notes})
    elif output is None:
        for table in laid_out.tables:
            print_text(f"{visible_line(table.title)}\n")
            print_table(table.columns, [[row[0], *map(Number, row[1:])] for row in table.rows])
            print_text()
        for note in laid_out.notes:
            print_text(note)
    return 0


def _write(laid_out: LaidOut, output: Path, force: bool) -> None:
    from auditor.formats.csv_table import csv_line
    from auditor.formats.markdown import escaped, table_head, table_line
    from auditor.formats.whole_file import whole_file

    with whole_file(output, force=force) as target:
        if output.suffix == ".csv":
            fields = list(laid_out.records[0])
            target.write(csv_line(fields))
            for record in laid_out.records:
                target.write(csv_line([record[name] for name in fields]))
            return
        for table in laid_out.tables:
            lines = [f"## {escaped(table.title)}", "", table_head(table.columns, table.columns[1:])]
            lines += [table_line(row) for row in table.rows]
            target.write(("\n".join(lines) + "\n\n").encode())
        target.write(("\n".join(f"* {escaped(note)}" for note in laid_out.notes) + "\n").encode())
