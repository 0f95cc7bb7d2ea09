"""`auditor build`: make the tasks of a benchmark from programs, with oracles that come from running them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auditor.cli import options
from auditor.cli.build_core import core
from auditor.cli.build_prex import prex
from auditor.cli.build_run import refuse_repeated_names, report_build, run_build
from auditor.cli.build_stopping import EXIT_INTERRUPTED, Where
from auditor.cli.core_probes import core_probes
from auditor.cli.core_requests import core_requests
from auditor.cli.output import Progress, say
from auditor.errors import InputError
from auditor.text import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.formats.records import Refusal
    from auditor.studies.exact_output.case import Case
    from auditor.studies.exact_output.source_options import SourceOptions

F = TypeVar("F", bound=Callable[..., Any])


@click.group("build")
def build() -> None:
    """Make the tasks of a benchmark from programs.

    Programs run in the sandbox; the oracles are what they write.

    \b
    auditor build exact-output my-programs/ -o my-run
    auditor build network-simplex -o my-run
    auditor build prex -o my-runs
    auditor build core -o my-run
    """


build.add_command(prex)
build.add_command(core)
build.add_command(core_probes)
build.add_command(core_requests)


def _shared(function: F) -> F:
    """Add the options that every build has."""
    for option in (
        options.quiet,
        options.as_json,
        click.option("--dry-run", is_flag=True, help="Build and check everything, and write nothing."),
        click.option("--unsafe", is_flag=True, help="Run the programs even where nothing here can contain them."),
        click.option("--scheduler", metavar="ADDRESS", help="Build on the workers of this Dask scheduler."),
        click.option(
            "--workers",
            "--jobs",
            "workers",
            type=click.IntRange(1, 256),
            metavar="N",
            help="Processes; as many as processors if not given.",
        ),
        click.option(
            "-o", "--out", type=click.Path(path_type=Path), metavar="RUN_DIR", help="The run directory to write."
        ),
    ):
        function = option(function)
    return function


@build.command("exact-output")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASES...")
@_shared
@click.option("--study", metavar="S", help="The study of all cases; else what each says, or exact-output.")
@click.option("--policy", default="json-or-tokens", show_default=True, metavar="P", help="How answers are graded.")
@click.option("--loop", type=options.COUNT, metavar="LINE", help="The loop that begins in this line.")
@click.option("--iteration", type=options.COUNT, metavar="N", help="The inside checkpoint is before this iteration.")
@click.option("--fields", metavar="A,B", help="The variables of the state, in this order.")
@click.option("--seconds", type=options.FiniteRange(0.1, 3600), default=10.0, show_default=True, help="For one run.")
@click.option(
    "--language",
    type=click.Choice(("python", "cpp")),
    default="python",
    show_default=True,
    help="Of contest problems: programs in this language.",
)
@click.option(
    "--solutions", type=options.COUNT, default=1, show_default=True, metavar="N", help="Programs of one problem."
)
@click.option(
    "--input-limit",
    type=options.COUNT,
    default=10_000,
    show_default=True,
    metavar="N",
    help="Characters of an input that may be chosen.",
)
@click.option(
    "--trace-limit",
    type=options.COUNT,
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Opcodes of a run whose input may be chosen.",
)
def exact_output(
    paths: tuple[Path, ...],
    out: Path | None,
    study: str | None,
    policy: str,
    workers: int | None,
    scheduler: str | None,
    loop: int | None,
    iteration: int | None,
    fields: str | None,
    seconds: float,
    language: str,
    solutions: int,
    input_limit: int,
    trace_limit: int,
    unsafe: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Build four tasks from each program with a short and a long input: the two final outputs, and the state inside and
    behind a loop.

    CASES are folders (NAME.py or NAME.cpp with NAME.toml beside it), .toml files with tables [[case]], or .jsonl files
    of cases, of contest problems or of functions with a call. What a case does not say of loop, iteration and fields is
    proposed from the program and a trace, and the inputs of a problem are chosen by their traces. A case is admitted
    only if all checks pass; the others are listed with the reason (exit code 1). A build that was interrupted keeps the
    finished cases, and the same command goes on.

    \b
    auditor build exact-output my-programs/ -o my-run
    auditor build exact-output problems.jsonl.gz -o my-run --solutions 2
    auditor build exact-output cases.jsonl --dry-run
    """
    from auditor.grading.registry import find_policy
    from auditor.studies.exact_output.building import BuildOptions
    from auditor.studies.exact_output.run_files import RunOptions
    from auditor.studies.exact_output.source_options import SourceOptions

    target = _target(out, dry_run)
    find_policy(policy)
    given = BuildOptions(unsafe=unsafe, seconds=seconds, longest_trace=trace_limit)
    cases, refused = _read(paths, SourceOptions(language, solutions, input_limit))
    cases = [_with(case, study, loop, iteration, fields) for case in cases]
    refuse_repeated_names(cases, given)
    run = RunOptions(target.resolve().name if target else "", policy)
    with Progress(quiet or as_json) as progress:
        verdicts, stopped = run_build(cases, given, run, Where(workers, scheduler), target, progress)
    return report_build(verdicts, refused, target, len(cases), stopped, dry_run=dry_run, as_json=as_json)


@build.command("network-simplex")
@_shared
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, metavar="N", help="Of the graphs.")
@click.option(
    "--per-band", type=options.COUNT, default=10, show_default=True, metavar="N", help="Cases in each of three bands."
)
@click.option(
    "--candidates", type=options.COUNT, default=500, show_default=True, metavar="N", help="Graphs to draw at most."
)
def network_simplex(
    out: Path | None,
    workers: int | None,
    scheduler: str | None,
    seed: int,
    per_band: int,
    candidates: int,
    unsafe: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Build the study of one library routine under many inputs: NetworkX's network simplex on generated graphs.

    Graphs are drawn from the seed and taken in their order, so many for each of three bands of trace length that are
    declared beforehand. The program holds the routine as the installed NetworkX has it (extra networkx), and what it
    writes must be what NetworkX itself finds. A band with too few cases is named (exit code 1).

    \b
    auditor build network-simplex -o my-run
    auditor build network-simplex --per-band 2 --seed 7 --dry-run
    """
    from auditor.cli.build_graphs import build_graph_study

    target = _target(out, dry_run)
    with Progress(quiet or as_json) as progress:
        found = build_graph_study(
            seed, per_band, candidates, Where(workers, scheduler), target, progress, unsafe=unsafe
        )
    if found is None:
        say("auditor: interrupted while graphs were chosen; nothing was written.")
        return EXIT_INTERRUPTED
    return report_build(
        found.verdicts, found.short, target, found.cases, found.stopped, dry_run=dry_run, as_json=as_json
    )


def _target(out: Path | None, dry_run: bool) -> Path | None:
    if out is None and not dry_run:
        raise InputError("there is no place to write to.", hint="Give -o RUN_DIR, or --dry-run.")
    return None if dry_run else out


def _read(paths: Sequence[Path], wanted: SourceOptions) -> tuple[list[Case], list[Refusal]]:
    from auditor.studies.exact_output.case_files import read_cases

    cases: list[Case] = []
    refused: list[Refusal] = []
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no file or folder {visible_line(str(path))}.")
        found, unusable = read_cases(path, wanted)
        cases += found
        refused += unusable
    return cases, refused


def _with(case: Case, study: str | None, loop: int | None, iteration: int | None, fields: str | None) -> Case:
    """Return a case with what the command line says in place of what its file says."""
    from auditor.formats.json_text import UnusableError
    from auditor.studies.exact_output.case_files import check_fields

    try:
        names = None if fields is None else check_fields([name.strip() for name in fields.split(",")])
    except UnusableError as error:
        raise InputError(f"--fields: {error}") from error
    return replace(
        case,
        study=study or case.study,
        loop=case.loop if loop is None else loop,
        iteration=case.iteration if iteration is None else iteration,
        fields=case.fields if names is None else names,
    )
