"""`auditor probes`: what people write to be asked about runs, with answers that only running the program gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.listing import first_records
from auditor.cli.output import print_json, print_table, print_text
from auditor.cli.row_imports import tell_rows
from auditor.cli.tags import given_text
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.store.changes import OwnProbe
    from auditor.store.own_probes import ProbeRecord

_SHOWN_ROWS = 200
_KINDS = ("value-at-visit", "value-at-iteration", "value-at-exit", "branch", "loop-count", "first-time")
_DIMENSIONS = ("Arithmetic", "Logic", "State", "Boundary")

_annotator = click.option("--annotator", metavar="NAME", required=True, callback=given_text, help="Whose it is.")
_unsafe = click.option("--unsafe", is_flag=True, help="Run the program even where nothing here can contain it.")
_codebook = click.option("--codebook", metavar="C", help="Instead of the one that the study declares.")


def _about(function: options.F) -> options.F:
    text = "An item as `tags list` prints it, or a run: problem/implementation/test."
    return click.option("--about", metavar="KEY", required=True, callback=given_text, help=text)(function)


def _moment(required: bool) -> Callable[[options.F], options.F]:
    def add(function: options.F) -> options.F:
        for option in (
            click.option("--variable", metavar="V", callback=given_text, help="The variable that is asked for."),
            click.option("--line", type=options.COUNT, required=required, metavar="N", help="The line of the program."),
        ):
            function = option(function)
        return function

    return add


@click.group("probes")
def probes() -> None:
    """List, propose, write and withdraw probes: questions about what happens in a run.

    A probe is about the run of an implementation with a test. Its answer is never given: running the program gives it.
    What is written is exported with `auditor export probes` and built with `auditor build core`.
    """


@probes.command("list", short_help="Print which probes people wrote.")
@options.audit_file
@click.option("--annotator", metavar="NAME", callback=given_text, help="Only those of this annotator.")
@options.where()
@options.as_json
def list_command(file: Path, annotator: str | None, where: str, as_json: bool) -> int:
    """Print which probes people wrote in FILE, those that were withdrawn too.

    \b
    auditor probes list audit.db
    auditor probes list audit.db --annotator ana --where problem:longest-run --json
    """
    from auditor.audit.own_probes import list_probes

    shown, more = first_records(
        file, lambda connection: list_probes(connection, where, annotator), None if as_json else _SHOWN_ROWS
    )
    if as_json:
        print_json({"probes": [_record_json(record) for record in shown]})
        return 0
    if not shown:
        narrowed = where or annotator is not None
        nothing = "Nobody has written a probe yet: `auditor probes propose` shows what can be asked."
        print_text("Nothing is left by the filter and the options." if narrowed else nothing)
        return 0
    rows = [[*_run_words(one), one.annotator, one.state, *_words(one.probe)] for one in shown]
    print_table(["run", "probe", "annotator", "state", "dim.", "answer", "question"], rows)
    if more:
        print_text(f"… and {more:,} more: --json gives all.")
    return 0


def _run_words(record: ProbeRecord) -> tuple[str, str]:
    return "/".join(visible_line(part, 40) for part in record.run), visible_line(record.name, 60)


def _words(probe: OwnProbe) -> list[str]:
    """Return dimensions, answer and question in short."""
    answer = visible_line(json.dumps(json.loads(probe.answer), ensure_ascii=False), 30)
    return ["".join(name[:1] for name in probe.dimensions), answer, visible_line(probe.question, 300)]


def _probe_json(probe: OwnProbe) -> dict[str, Any]:
    about = {"kind": probe.kind, "line": probe.line, "n": probe.n, "variable": probe.variable}
    asked = {"question": probe.question, "dimensions": list(probe.dimensions)}
    answer = {"answer": json.loads(probe.answer), "answer_type": probe.answer_type, "depth": probe.depth}
    return {"name": probe.name, **about, **asked, **answer}


def _record_json(record: ProbeRecord) -> dict[str, Any]:
    run = {"problem": record.problem, "implementation": record.implementation, "test": record.test}
    who = {"annotator": record.annotator, "at": record.at, "state": record.state}
    return {**run, **_probe_json(record.probe), **who, "item": record.item, "codebook": record.codebook}


@probes.command("propose", short_help="Print what can be asked about a run.")
@options.audit_file
@_about
@_moment(required=False)
@click.option("--limit", type=options.COUNT, default=20, show_default=True, metavar="N", help="The deepest N.")
@_unsafe
@options.as_json
def propose_command(
    file: Path, about: str, line: int | None, variable: str | None, limit: int, unsafe: bool, as_json: bool
) -> int:
    """Run the call that an item of FILE is about, and print what can be asked about it, the deepest first.

    Depth is on how many executed lines the answer depends.

    \b
    auditor probes propose audit.db --about longest-run/loops/t03 --line 5
    """
    from auditor.audit.own_probes import propose_probes

    case, every = propose_probes(file, about, unsafe=unsafe)
    found = [one for one in every if line in (None, one.line) and variable in (None, one.variable)]
    if as_json:
        print_json({"run": case.name, "proposed": len(found), "probes": [_probe_json(one) for one in found[:limit]]})
        return 0
    if not found:
        print_text("Nothing is proposed of this run." if not every else "Nothing is proposed of this line or variable.")
        return 0
    print_table(
        ["depth", "kind", "line", "n", "variable", "dim.", "answer", "question"],
        [
            [one.depth, one.kind, one.line, one.n, one.variable and visible_line(one.variable, 40), *_words(one)]
            for one in found[:limit]
        ],
    )
    print_text(f"{counted(len(found), 'probe')} proposed; the deepest {min(limit, len(found)):,} are listed.")
    return 0


@probes.command("add", short_help="Write a probe, or change its words.")
@options.audit_file
@_annotator
@_about
@click.option("--kind", type=click.Choice(_KINDS), required=True, help="What is asked for.")
@_moment(required=True)
@click.option("-n", "n", type=options.COUNT, metavar="N", help="Which time; the last where it is not said.")
@click.option("--question", metavar="TEXT", callback=given_text, help="In your words; else in ours.")
@click.option("--dimension", "dimensions", type=click.Choice(_DIMENSIONS), multiple=True, help="Repeat for several.")
@_codebook
@_unsafe
@options.as_json
def add_command(
    file: Path,
    annotator: str,
    about: str,
    kind: str,
    line: int,
    variable: str | None,
    n: int | None,
    question: str | None,
    dimensions: tuple[str, ...],
    codebook: str | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Write a probe of a run in FILE; its answer comes from running the program, here and now.

    The probe of the same moment again changes its words and dimensions. What a run is asked already, at the same moment
    or in the same words, is refused.

    \b
    auditor probes add audit.db --annotator ana --about longest-run/loops/t03 --kind branch --line 4
    auditor probes add audit.db --annotator ana --about longest-run/loops/t03 --kind value-at-exit \\
        --line 3 --variable best --dimension State --question 'How long is the longest run?'
    """
    from auditor.audit.own_probes import write_probe
    from auditor.audit.probe_runs import Wanted

    wanted = Wanted(kind, line, n, variable)
    given: dict[str, Any] = {"question": question, "dimensions": dimensions, "codebook": codebook, "unsafe": unsafe}
    made = write_probe(file, annotator, about, wanted, **given)
    if as_json:
        print_json({"changed": made.done is not None, "run": made.run, "item": made.item, **_probe_json(made.probe)})
        return 0
    dimensions_told = ", ".join(made.probe.dimensions)
    print_text(f"{visible_line(made.run, 120)}: probe {visible_line(made.probe.name, 80)}")
    print_text(f"Question: {made.probe.question}")
    depth = f"depth {made.probe.depth:,}, {dimensions_told}"
    print_text(f"Answer: {visible_line(made.probe.answer, 200)} ({made.probe.answer_type}); {depth}")
    if made.done is None:
        print_text("It was so already.")
    return 0


@probes.command("withdraw", short_help="Take a probe back, or take it up again.")
@options.audit_file
@_annotator
@_about
@click.option("--name", metavar="PROBE", required=True, callback=given_text, help="As `probes list` prints it.")
@click.option("--back", is_flag=True, help="Take it up again.")
@_codebook
@options.as_json
def withdraw_command(
    file: Path, annotator: str, about: str, name: str, back: bool, codebook: str | None, as_json: bool
) -> int:
    """Take a probe of FILE back: it stays listed as withdrawn, and is exported no more.

    \b
    auditor probes withdraw audit.db --annotator ana --about longest-run/loops/t03 \\
        --name branch/line-4/2
    """
    from auditor.audit.own_probes import withdraw_probe
    from auditor.audit.review_answers import describe_change

    made = withdraw_probe(file, annotator, about, name, back=back, codebook=codebook)
    if as_json:
        print_json({"changed": made.done is not None})
    else:
        words = describe_change(made.done.action, made.done.change, {}) if made.done else "it was so already"
        print_text(f"{visible_line(made.run, 120)}: {visible_line(words, 120)}")
    return 0


@probes.command("import", short_help="Bring in the probes.jsonl of a problem.")
@options.audit_file
@click.argument("path", type=click.Path(path_type=Path), metavar="PATH")
@_annotator
@click.option("--problem", metavar="NAME", required=True, callback=given_text, help="Of which problem they are.")
@_codebook
@_unsafe
@options.as_json
def import_command(
    file: Path, path: Path, annotator: str, problem: str, codebook: str | None, unsafe: bool, as_json: bool
) -> int:
    """Write the probes of PATH, lines as in a problem's probes.jsonl, into FILE; the answers come from running them.

    The same file again changes nothing; a line that cannot be used is listed, and the others are written (exit code 1).

    \b
    auditor probes import audit.db longest_run/probes.jsonl --annotator ana --problem longest-run
    """
    from auditor.audit.probe_files import import_probes

    report = import_probes(file, path, annotator, problem, codebook=codebook, unsafe=unsafe)
    read = f"{counted(report.rows, 'probe')} read"
    summary = f"{read}: {report.changed:,} written or changed, {report.unchanged:,} as before"
    return tell_rows(report, ("changed", report.changed), summary, as_json=as_json)
