"""`auditor report`: one page that says what an audit came to."""

from __future__ import annotations

import re
from pathlib import Path

import click

from auditor.cli import options
from auditor.cli.output import Progress, say
from auditor.cli.tags import given_text
from auditor.errors import InputError
from auditor.text import counted, visible_line

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@click.command("report")
@options.audit_file
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    metavar="PATH",
    required=True,
    help="A .html, .md or .tex file.",
)
@options.where("", "Report only on the responses that this filter leaves, e.g. 'language:python'.")
@click.option("--title", default="", callback=given_text, metavar="TEXT", help="The report's title.")
@click.option(
    "--date", metavar="DAY", help="The day at its head, YYYY-MM-DD; default: that of the newest thing in FILE."
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@options.bootstrap
@options.quiet
def report_command(
    file: Path,
    target: Path,
    where: str,
    title: str,
    date: str | None,
    force: bool,
    replicates: int,
    seed: int,
    confidence: float,
    quiet: bool,
) -> int:
    """Write what FILE came to as one page: numbers, plots, agreement and the taxonomy with an example of each tag.

    An .html page needs no network and no other file. The same FILE and options give the same bytes.

    \b
    auditor report audit.db -o report.html
    auditor report audit.db -o report.md --where language:python
    """
    from auditor.audit.report.make import make_report
    from auditor.audit.report.subject import ReportOptions
    from auditor.audit.report.write import check_report_target, write_report

    if date is not None and not _DAY.fullmatch(date):
        raise InputError(f"{visible_line(date, 40)!r} is no day.", hint="Write it as 2026-11-30.")
    check_report_target(target, force=force)
    with Progress(quiet) as progress:
        document = make_report(file, ReportOptions(where, title, date, replicates, seed, confidence), progress)
        write_report(document, target, force=force)
    if not quiet:
        say(f"{counted(target.stat().st_size, 'byte')} written to {target}")
    return 0
