"""`auditor build prex`: the grid of PrEx as run directories, one for each split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from auditor.cli import options
from auditor.cli.build_stopping import Stopped, Stopping, Where, interrupts_restored
from auditor.cli.output import Progress, print_json, print_table, print_text, say, say_refused
from auditor.errors import InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.formats.records import Refusal
    from auditor.studies.prex.grid import GridOptions
    from auditor.studies.prex.program_sizes import SizeRow
    from auditor.studies.prex.prompts import Strategy
    from auditor.studies.prex.splits import Split, ValidProgram

_NAMES = {
    "--split": ("hand-written", "translated", "fuzzer-generated"),
    "--formalism": ("S", "K"),
    "--shift": ("Standard", "KeywordSwap", "KeywordObf"),
    "--prompts": ("da", "cot"),
}
"""What may be listed behind an option; the study's modules, which hold the same, are loaded only by the build."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """A build that was asked for."""

    folder: Path
    given: GridOptions
    strategies: tuple[Strategy, ...]
    programs: dict[Split, list[ValidProgram]]
    refused: list[Refusal]


def _list_option(name: str, help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return an option that takes some of its names, separated by commas, in their fixed order; all if not given."""
    known = _NAMES[name]

    def chosen(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
        if value is None:
            return known
        given = [word.strip().casefold() for word in value.split(",") if word.strip()]
        strange = [word for word in given if word not in map(str.casefold, known)]
        if strange or not given:
            what = f"there is no {visible_line(strange[0], 40)}; " if strange else ""
            raise click.BadParameter(f"{what}give some of {','.join(known)}, separated by commas.")
        return tuple(word for word in known if word.casefold() in given)

    return click.option(name, callback=chosen, metavar=",".join(known), help=help_text)


@click.command("prex")
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where the run directories go."
)
@click.option(
    "--task",
    type=click.Choice(("verdict", "final-state")),
    default="verdict",
    show_default=True,
    help="Whether a rule is violated, and which; or the variables at the end, of valid programs only.",
)
@_list_option("--split", "Only these splits.")
@_list_option("--formalism", "Only these semantics.")
@_list_option("--shift", "Only these shifts.")
@click.option(
    "--count", type=options.COUNT, metavar="N", help="Valid programs of each split; else all, 491 in the three splits."
)
@click.option(
    "--programs",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="C* programs NAME.imp and Python programs NAME.py of your own, in place of ours and of random ones.",
)
@click.option("--seed", default="0", show_default=True, metavar="SEED", help="Of random programs and planted errors.")
@click.option(
    "--alphabet",
    type=click.Choice(("letters", "tokens")),
    default="letters",
    show_default=True,
    help="Of KeywordObf: letters of an old script, or signs that are one token each.",
)
@_list_option("--prompts", "Prompts that are written beside the tasks, once for each arm.")
@click.option("--whole-prompt", type=click.Choice(_NAMES["--prompts"]), help="Put this whole prompt into every task.")
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="Processes; as many as processors if not given."
)
@options.as_json
@options.quiet
def prex(
    out: Path,
    task: str,
    split: tuple[str, ...],
    formalism: tuple[str, ...],
    shift: tuple[str, ...],
    count: int | None,
    programs: Path | None,
    seed: str,
    alphabet: str,
    prompts: tuple[str, ...],
    whole_prompt: str | None,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Build the tasks of PrEx: does a C* program violate a rule of the given semantics, and which?

    Every valid program gets five invalid counterparts, one for each kind of error; all are executed under both
    semantics, and written under S and K in the standard, swapped and obfuscated symbols. Each split becomes a run
    directory in DIR.

    \b
    auditor build prex -o prex
    auditor build prex -o small --split hand-written --count 5
    """
    from auditor.cli.cstar_make import seed_of
    from auditor.studies.prex.cstar.rules import Formalism
    from auditor.studies.prex.grid import Asked, GridOptions, Shift
    from auditor.studies.prex.grid_files import check_target
    from auditor.studies.prex.prompts import Strategy
    from auditor.studies.prex.splits import Split

    given = GridOptions(
        tuple(map(Formalism, formalism)),
        tuple(map(Shift, shift)),
        "obf" if alphabet == "letters" else "obf-token",
        str(seed_of(seed)),
        Strategy(whole_prompt) if whole_prompt else None,
        Asked(task),
    )
    check_target(out, given.asked)
    splits, named = tuple(map(Split, split)), _is_given("split")
    if programs is not None and not named:
        splits = (Split.HAND_WRITTEN, Split.TRANSLATED)
    own = _own_programs(programs, splits, named=named)
    with interrupts_restored():
        with Progress(quiet or as_json) as progress:
            chosen = _chosen(own, splits, count, given.seed, progress)
            plan = _Plan(out, given, tuple(map(Strategy, prompts)), chosen, own.refused)
            done, stopped = _build(plan, Where(workers), progress)
        return _report(plan, done, stopped, as_json)


def _is_given(name: str) -> bool:
    """Say whether an option stands on the command line."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


class _Own(NamedTuple):
    """The programs that are read rather than made."""

    programs: dict[Split, list[ValidProgram]]
    refused: list[Refusal]
    """Python programs that C* cannot express."""


def _own_programs(folder: Path | None, splits: Sequence[Split], *, named: bool) -> _Own:
    """Return the bundled programs, or those that a folder has for the splits.

    Raises InputError for a folder without any, or, where the splits were `named`, without some for one of them.
    """
    from auditor.formats.records import Refusal
    from auditor.resources import data_folder
    from auditor.studies.prex.splits import HAND_WRITTEN_FOLDER, PYTHON_FOLDER, Split, hand_written, translated

    if folder is None:
        samples = data_folder("sample_runs")
        found, _ = translated(samples / PYTHON_FOLDER)
        return _Own({Split.HAND_WRITTEN: hand_written(samples / HAND_WRITTEN_FOLDER), Split.TRANSLATED: found}, [])
    where, hint = visible_line(str(folder)), "C* programs are files NAME.imp, Python programs NAME.py."
    if not folder.is_dir():
        raise InputError("there is no such folder." if not folder.exists() else "this is no folder.", where=where)
    if tuple(splits) == (Split.FUZZER_GENERATED,):
        raise InputError("random programs are made, not read from a folder.", hint="Leave --programs out.")
    programs: dict[Split, list[ValidProgram]] = {}
    if Split.HAND_WRITTEN in splits:
        programs[Split.HAND_WRITTEN] = hand_written(folder)
    found, left = translated(folder) if Split.TRANSLATED in splits else ([], [])
    refused = [Refusal(visible_line(one.name, 60), one.reason) for one in left]
    if Split.TRANSLATED in splits:
        programs[Split.TRANSLATED] = found
    for split, there in programs.items():
        if named and not there and not (left and split is Split.TRANSLATED):
            raise InputError(f"there are no {split.value} programs here.", where=where, hint=hint)
    if not any(programs.values()):
        if left:
            told = f"no Python program here can be translated: {refused[0].where}: {refused[0].reason}"
            raise InputError(told, where=where)
        raise InputError("there are no programs here.", where=where, hint=hint)
    return _Own(programs, refused)


def _chosen(
    own: _Own, splits: Sequence[Split], count: int | None, seed: str, progress: Callable[[str, int, int], None]
) -> dict[Split, list[ValidProgram]]:
    """Return the valid programs of each split: the first `count`, or all."""
    from auditor.studies.prex.splits import ALTOGETHER, Split, fuzzed

    found: dict[Split, list[ValidProgram]] = {}
    for split in splits:
        if split is not Split.FUZZER_GENERATED:
            there = own.programs[split]
            if count is not None and count > len(there):
                say(f"There are {len(there):,} {split.value} programs, not {count:,}.")
            found[split] = there[:count]
            continue
        wanted = max(1, ALTOGETHER - sum(map(len, own.programs.values()))) if count is None else count
        made: list[ValidProgram] = []
        for program in fuzzed(wanted, seed):
            made.append(program)
            progress("random programs", len(made), wanted)
        found[split] = made
    return {split: programs for split, programs in found.items() if programs}


def _build(
    plan: _Plan, where: Where, progress: Callable[[str, int, int], None]
) -> tuple[dict[Split, int], Stopped | None]:
    """Build what is not there; return how many programs of each split are done, and why it stopped before the end.

    After an interruption further ones are ignored until what is known has been told.
    """
    from contextlib import closing

    from auditor.studies.prex.building import build_parts, split_builds
    from auditor.studies.prex.grid_files import clear_parts, write_split

    builds = {one.split: one for one in split_builds(plan.folder, plan.programs, plan.given, plan.strategies)}
    left = {split: len(one.jobs) for split, one in builds.items()}
    jobs = [job for one in builds.values() for job in one.jobs]
    total = sum(len(one.digests) for one in builds.values())
    stop = Stopping()
    with stop:
        for split, one in builds.items():
            if not one.ready and not one.jobs:
                write_split(plan.folder, split, one.digests, plan.given, plan.strategies)
        with where.executor(len(jobs)) as executor, closing(build_parts(jobs, executor)) as finished:
            for number, job in enumerate(finished, 1):
                split = job.valid.split
                left[split] -= 1
                progress("programs built", total - len(jobs) + number, total)
                if not left[split]:
                    write_split(plan.folder, split, builds[split].digests, plan.given, plan.strategies)
        clear_parts(plan.folder)
    return {split: len(one.digests) - left[split] for split, one in builds.items()}, stop.why


def _report(plan: _Plan, done: dict[Split, int], stopped: Stopped | None, as_json: bool) -> int:
    """Print the sizes of the splits and what was written; return the exit code."""
    from auditor.studies.prex.grid import Asked
    from auditor.studies.prex.program_sizes import size_of, size_table

    rows = size_table({split.value: [size_of(one.source) for one in own] for split, own in plan.programs.items()})
    each = 6 if plan.given.asked is Asked.VERDICT else 1
    programs, finished = sum(row.programs for row in rows), sum(done.values())
    if as_json:
        print_json(
            {
                "out": str(plan.folder),
                "programs": programs,
                "finished": finished,
                "tasks": finished * each * len(plan.given.arms),
                "splits": [_row(row) for row in rows],
                "refused": [asdict(one) for one in plan.refused],
            }
        )
    else:
        _print_sizes(rows)
        tasks = counted(finished * each * len(plan.given.arms), "task")
        with_errors = f"{counted(each * finished, 'program')} with their errors, " if each > 1 else ""
        print_text(f"{counted(finished, 'valid program')}, {with_errors}{tasks}")
        print_text(f"in {plan.folder}." if not stopped else f"are ready in {plan.folder}.")
        say_refused(plan.refused, "program")
    if stopped is None:
        return int(bool(plan.refused))
    say(f"auditor: {stopped.sentence.rstrip('.')}; {programs - finished:,} of {programs:,} programs are left.")
    say("The same command goes on from there.")
    return stopped.exit_code


def _row(row: SizeRow) -> dict[str, Any]:
    names = ("least", "median", "greatest")
    return {
        "split": row.split,
        "programs": row.programs,
        "lines": dict(zip(names, row.lines, strict=True)),
        "cstar_tokens": dict(zip(names, row.tokens, strict=True)),
    }


def _print_sizes(rows: Sequence[SizeRow]) -> None:
    columns = ("split", "programs", "lines: least", "median", "greatest", "C* tokens: least", "median", "greatest")
    print_table(columns, [(row.split, row.programs, *_spread(row.lines), *_spread(row.tokens)) for row in rows])
    print_text()


def _spread(values: tuple[int, float, int]) -> list[str]:
    """Return least, median and greatest as they are printed: a median between two numbers has a half."""
    return [f"{value:,.1f}".removesuffix(".0") for value in values]
