"""Where a command's tables go: the terminal, a file by its ending, or stdout in the form of one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.layouts import LaidOut, LayoutTable

F = TypeVar("F", bound=Callable[..., Any])
_FORMS = ("text", "md", "tex", "csv", "json")
_TEXT, _JSON = "text", "json"


class Target(NamedTuple):
    """Where tables go, and in which form."""

    form: str
    output: Path | None
    force: bool


def table_file(function: F) -> F:
    """Add the options -o, --format and --force."""
    for option in (
        click.option("--force", is_flag=True, help="Replace that file."),
        click.option(
            "--format",
            "form",
            type=click.Choice(_FORMS),
            help="Print as Markdown, LaTeX (booktabs), CSV or JSON; with -o instead of what the file's name ends in.",
        ),
        click.option(
            "-o",
            "--output",
            type=click.Path(path_type=Path),
            metavar="PATH",
            help="Write the table to this .md, .tex, .csv or .json file.",
        ),
    ):
        function = option(function)
    return function


def target_of(output: Path | None, form: str | None, force: bool, as_json: bool) -> Target:
    """Check the options; raises InputError where they contradict each other or the file's name has no known end."""
    if as_json and form not in (None, _JSON):
        raise InputError(f"--json and --format {form} contradict each other.", hint="Give one of them.")
    if output is None:
        if force:
            raise InputError("--force is for a file.", hint="Name one with -o.")
        return Target(_JSON if as_json else form or _TEXT, None, False)
    ending = output.suffix.removeprefix(".").lower()
    found = _JSON if as_json and not form and ending == _JSON else form or ending
    if as_json and found != _JSON:
        raise InputError("--json prints, and -o writes a file of another kind.", hint="Give one of them.")
    if found not in _FORMS or found == _TEXT:
        told = "a table is written as .md, .tex, .csv or .json." if not form else "text is for the terminal."
        raise InputError(told, where=visible_line(str(output)), hint="Or give --format md, tex, csv or json.")
    return Target(found, output, force)


def put_tables(
    target: Target,
    laid_out: Callable[[], LaidOut],
    document: Callable[[], Any],
    show: Callable[[], None],
) -> None:
    """Print or write tables: laid out for files, as a document for JSON, or shown on the terminal."""
    from auditor.cli.output import json_text, print_text

    if target.form == _TEXT:
        show()
        return
    if target.form == _JSON:
        content = json_text(document()).encode()
    else:
        from auditor.audit.layout_writing import written

        content = written(laid_out(), target.form)
    if target.output is not None:
        from auditor.formats.whole_file import whole_file

        with whole_file(target.output, force=target.force) as file:
            file.write(content)
    elif target.form == _JSON or not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    else:
        print_text(content.decode("utf-8", "replace").removesuffix("\n"), wrap=False)


def show_laid_out(laid_out: LaidOut) -> None:
    """Print tables and notes to the terminal."""
    from auditor.cli.output import print_table, print_text
    from auditor.cli.table import Number

    for table in laid_out.tables:
        print_text(f"{visible_line(table.title)}\n")
        names = table.names
        rows = [[*row[:names], *map(Number, row[names:])] for row in table.shaded or table.rows]
        print_table(table.columns, rows, _whole_intervals(table))
        print_text()
    if laid_out.drawing:
        print_text("\n".join(laid_out.drawing) + "\n", wrap=False)
    for note in laid_out.notes:
        print_text(note)


def _whole_intervals(table: LayoutTable) -> dict[str, str]:
    """Return how columns fold: those of intervals, `[0.1, 0.2]`, nowhere."""
    columns = zip(table.columns, zip(*table.rows, strict=True), strict=bool(table.rows))
    return {name: "" for name, cells in columns if all(cell == "-" or cell.startswith("[") for cell in cells)}
