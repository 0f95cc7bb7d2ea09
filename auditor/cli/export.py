"""`auditor export`: write what an audit file holds to a file of one's own."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.cli import options
from auditor.cli.output import Progress, print_text, say
from auditor.cli.tags import given_text
from auditor.errors import InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.audit.export import ExportOptions


@click.command("export")
@click.argument("what", metavar="WHAT")
@options.audit_file
@click.option(
    "-o",
    "--output",
    "target",
    metavar="PATH",
    callback=given_text,
    help="A .csv, .jsonl or .md file, a folder for annotations, run, probes or bundle, .yaml for a codebook, - for"
    " stdout. A taxonomy is shown as Markdown without it.",
)
@options.where("", "Only the responses that this filter leaves, e.g. 'status:wrong arm:output'.")
@click.option(
    "--annotator",
    "annotators",
    metavar="NAME",
    multiple=True,
    callback=given_text,
    help="Only what this annotator said (tags, places, probes, taxonomy, diagnosis, annotations); repeat for several.",
)
@click.option("--adjudicated", is_flag=True, help="Only final tags: agreed by all or adjudicated (tags).")
@click.option("--codebook", metavar="NAME", help="Which codebook (codebook, diagnosis); default: the only one in use.")
@click.option(
    "--title", metavar="TEXT", default="", callback=given_text, help="What a bundle and its report are called."
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace a file that is there, or annotations that hold more; a run never replaces anything.",
)
@options.quiet
def export(
    what: str,
    file: Path,
    target: str | None,
    where: str,
    annotators: tuple[str, ...],
    adjudicated: bool,
    codebook: str | None,
    title: str,
    force: bool,
    quiet: bool,
) -> int:
    """Write WHAT of FILE to a file or folder: one of the following.

    \b
    tags         who put which tag on which item, and when; `tags import` reads it
    probes       probes that people wrote, as `build core` reads them; .csv and .md hold more
    places       bookmarks and memos; `places import` reads it
    responses    a line a response: prediction, verdict, computed mode, facets
    requests     what is invalid or absent, to be asked: a .jsonl file or a folder for the replies
    taxonomy     a codebook's tags with counts, decisions first, and an example each
    diagnosis    for each item, annotator and tag whether it was used, or why that cannot be said
    annotations  a folder for git with all that people said; `import` and `merge` read it
    run          a run directory with tasks and raw replies; `import` reads it
    codebook     the codebook as YAML; `--codebook` of review and `tags import` reads it
    bundle       a published audit: report, data, codebooks, agreement, hashes; `verify` checks it

    The file appears when it is complete. JSON lines keep every text exactly; CSV keeps texts too, but not what is null
    or a number; Markdown is for reading.

    \b
    auditor export taxonomy audit.db
    auditor export tags audit.db -o tags.csv
    auditor export tags audit.db --adjudicated -o final.csv
    auditor export responses audit.db -o wrong.jsonl --where status:wrong
    auditor export taxonomy audit.db -o taxonomy.md
    auditor export annotations audit.db -o annotations
    auditor export diagnosis audit.db -o diagnosis.csv
    auditor export codebook audit.db -o loops.yaml
    auditor export probes audit.db --where problem:longest-run -o probes.jsonl
    auditor export requests audit.db --where invalid:yes -o again
    auditor export bundle audit.db -o published --title "Where loops go wrong"
    """
    from auditor.audit.export import ExportOptions, write_export

    given = ExportOptions(where, annotators, force, codebook, adjudicated, title)
    with Progress(quiet) as progress:
        if target is None:
            if what != "taxonomy":
                raise InputError(
                    f"where shall the {visible_line(what, 40)} go?", hint="Give -o PATH, or -o - for stdout."
                )
            return _show_taxonomy(file, given)
        if target == "-":
            if sys.stdout.isatty():
                raise InputError(
                    "an export holds every text as it is, so it is not written to a terminal.",
                    hint="Pipe them into a program, or name a file.",
                )
            report = write_export(file, what, sys.stdout.buffer, given, progress)
        else:
            report = write_export(file, what, Path(target), given, progress)
    for note in report.notes:
        say(f"Note: {note}")
    if not quiet and target != "-":
        say(f"{counted(report.rows, _ROWS.get(what, 'row'))} written to {target}")
    return 0


def _show_taxonomy(file: Path, given: ExportOptions) -> int:
    """Write the taxonomy as Markdown to stdout; a terminal has it laid out."""
    from auditor.audit.export import write_export

    text = io.BytesIO()
    write_export(file, "taxonomy", text, given, stream_layout="md")
    document = text.getvalue().decode("utf-8", "surrogatepass")
    if not sys.stdout.isatty():
        print_text(document.removesuffix("\n"), wrap=False)
        return 0
    from rich.console import Console
    from rich.markdown import Markdown

    # What a terminal would act on was made visible when the document was written.
    Console().print(Markdown(document, hyperlinks=False))
    return 0


_ROWS = {"run": "response", "codebook": "codebook", "annotations": "event", "bundle": "file", "probes": "probe"}
