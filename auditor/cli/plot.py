"""`auditor plot`: the plots of a report in a terminal, or as SVG."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from auditor.cli import options
from auditor.cli.output import Progress, print_json, print_text, say, terminal_width
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.documents.document import Figure

_WIDTH = 96


@click.command("plot")
@options.audit_file
@click.argument("what", metavar="WHAT")
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write SVG: a .svg file, or a new folder with a file a plot.",
)
@click.option("--only", metavar="NAME", help="One of several plots, by the name that stands above it.")
@options.where("", "Only the responses that this filter leaves, e.g. 'language:python'.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@options.bootstrap
@options.as_json
@options.quiet
def plot_command(
    file: Path,
    what: str,
    target: Path | None,
    only: str | None,
    where: str,
    force: bool,
    replicates: int,
    seed: int,
    confidence: float,
    as_json: bool,
    quiet: bool,
) -> int:
    """Plot WHAT of FILE in characters, or as SVG with -o; `auditor report` has them all.

    \b
    accuracy      by setting and arm, with intervals
    error-types   by setting and type of error (PrEx)
    core          families of settings against implementations, exposure of failures (CoRE)
    transitions   changes between arms and between modes, and differences
    measures      errors against what is measured of tasks
    modes         composition of computed failure modes
    agreement     kappa of whole sets and of each tag
    taxonomy      composition of tags by annotator

    \b
    auditor plot audit.db accuracy
    auditor plot audit.db measures --only measure-1 -o trace.svg
    auditor plot audit.db transitions -o plots
    """
    from auditor.audit.report.plotting import make_figures
    from auditor.audit.report.subject import ReportOptions

    given = ReportOptions(where, replicates=replicates, seed=seed, confidence=confidence)
    with Progress(quiet or as_json) as progress:
        figures = make_figures(file, what, given, only, progress)
    if target is not None:
        _write(figures, target, force)
    if as_json:
        print_json({"plots": [{"name": _name(figure), **asdict(figure.plot)} for figure in figures]})
    elif target is None:
        _show(figures)
    return 0


def _name(figure: Figure) -> str:
    return figure.id.removeprefix("fig-")


def _show(figures: list[Figure]) -> None:
    from auditor.documents.characters import plot_lines
    from auditor.documents.document import plain

    width = terminal_width() or _WIDTH
    for number, figure in enumerate(figures):
        head = f"[{_name(figure)}] " if len(figures) > 1 else ""
        lines = [line.rstrip() for line in plot_lines(figure.plot, width)]
        print_text(("\n" if number else "") + head + "\n".join(lines), wrap=False)
        for note in figure.notes:
            print_text(plain(note))


def _write(figures: list[Figure], target: Path, force: bool) -> None:
    from auditor.documents.svg import svg_file
    from auditor.formats.whole_file import check_target, whole_file

    names = [_name(figure) for figure in figures]
    if target.suffix.lower() == ".svg":
        if len(figures) > 1:
            raise InputError(
                f"there are {len(figures)} plots and one file.",
                where=visible_line(str(target)),
                hint=f"Choose one with --only, of {', '.join(names)}, or name a folder.",
            )
        targets = [target]
    else:
        if target.suffix or (target.exists() and not target.is_dir()):
            raise InputError("plots are written as .svg or into a folder.", where=visible_line(str(target)))
        target.mkdir(exist_ok=True)
        targets = [target / f"{name}.svg" for name in names]
    for path in targets:
        check_target(path, force=force)
    for figure, path in zip(figures, targets, strict=True):
        with whole_file(path, force=force) as file:
            file.write(svg_file(figure.plot).encode())
        say(f"{path} written")
