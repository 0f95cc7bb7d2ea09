"""`auditor demo`: the bundled sample run, ready to review."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.output import Progress, print_text

_FIRST = "exact-output"


@click.command("demo")
@click.argument("name", default=_FIRST, metavar="[NAME]")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The audit file; made when there is none.  [default: auditor-demo.db, for others auditor-demo-NAME.db]",
)
@click.option("--annotator", metavar="WHO", default="me", show_default=True, help="Whose tags yours will be.")
@options.quiet
@options.screen
def demo_command(
    name: str,
    file: Path | None,
    annotator: str,
    quiet: bool,
    config_path: Path | None,
    theme: str | None,
    mouse: bool | None,
) -> int:
    """Import the bundled sample run NAME (exact-output, prex or core), grade it and open the review of its failures.

    Without a terminal it prints the sample's accuracy table instead. The file stays, so that you can go on with it.

    \b
    auditor demo
    auditor demo prex
    auditor demo core
    auditor agreement auditor-demo.db
    """
    from auditor.audit.demo import make_demo
    from auditor.configuration.configuration import load_configuration
    from auditor.tui.terminal import cannot_show_screens

    if file is None:
        file = Path("auditor-demo.db" if name == _FIRST else f"auditor-demo-{name}.db")
    configuration = load_configuration(config_path, {"theme": theme, "mouse": mouse})
    with Progress(quiet) as progress:
        make_demo(file, name, progress)
    if sys.stdin.isatty() and sys.stdout.isatty() and cannot_show_screens(os.environ) is None:
        from auditor.audit.review import open_session
        from auditor.cli.review import review_on_screen

        return review_on_screen(open_session(file, annotator), annotator, configuration)
    from auditor.audit.tabulate import accuracy
    from auditor.cli.tables import print_accuracy
    from auditor.store.file import open_for_reading

    with closing(open_for_reading(file)) as connection:
        # Each probe of CoRE is an arm of its own: a table of them is wider than a terminal.
        columns = ("target",) if name == "core" else ("arm",)
        print_accuracy(accuracy(connection, cols=columns), ("setting",), columns, file)
    print_text(f"The audit file is {file}. Review its failures in a terminal: auditor review {file} --annotator NAME")
    return 0
