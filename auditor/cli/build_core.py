"""`auditor build core`: the tasks of CoRE from problems with several implementations and tests."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.build_stopping import Stopped, Stopping, Where, interrupts_restored
from auditor.cli.output import Progress, print_json, print_table, print_text, say, say_refused
from auditor.errors import InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.formats.records import Refusal as Unreadable
    from auditor.studies.core.building import BuildOptions
    from auditor.studies.core.built import Built
    from auditor.studies.core.problem import Problem


@click.command("core")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PROBLEMS]...")
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="RUN_DIR", help="The run directory to write.")
@click.option("--study", default="core", show_default=True, metavar="S", help="The name of the study.")
@click.option(
    "--probes", type=click.IntRange(0, 50), default=5, show_default=True, metavar="N", help="Probes of a problem."
)
@click.option("--at-least", type=click.IntRange(1), metavar="N", help="Keep so many tests also where fewer cover all.")
@click.option("--all-tests", is_flag=True, help="Keep all tests.")
@click.option(
    "--cyclomatic", type=click.IntRange(1), default=3, show_default=True, metavar="N", help="Least complexity."
)
@click.option(
    "--similar",
    type=options.FiniteRange(0, 1),
    default=0.7,
    show_default=True,
    help="Jaccard similarity above which a pair is for experts to look at.",
)
@click.option(
    "--too-similar",
    type=options.FiniteRange(0, 1),
    default=0.9,
    show_default=True,
    help="Jaccard similarity above which the later of a pair is refused.",
)
@click.option(
    "--whole-prompt",
    type=click.Choice(("io", "cot", "coc", "rhda-1", "rhda-2")),
    help="Put this whole prompt into every task.",
)
@click.option("--seconds", type=options.FiniteRange(0.1, 600), default=5.0, show_default=True, help="For one call.")
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="Processes; as many as processors if not given."
)
@click.option("--unsafe", is_flag=True, help="Run the programs even where nothing here can contain them.")
@click.option("--dry-run", is_flag=True, help="Build and check everything, and write nothing.")
@options.as_json
@options.quiet
def core(
    paths: tuple[Path, ...],
    out: Path | None,
    study: str,
    probes: int,
    at_least: int | None,
    all_tests: bool,
    cyclomatic: int,
    similar: float,
    too_similar: float,
    whole_prompt: str | None,
    seconds: float,
    workers: int | None,
    unsafe: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Build the tasks of CoRE: what does each implementation of a problem give, and what happens on the way?

    PROBLEMS are folders with problem.toml, tests.jsonl and implementations/NAME.py, or folders of such; without any the
    bundled ones are built. An implementation is admitted when all agree on every test, twice, and it is neither too
    simple nor too similar to another one; the others are listed with the reason (exit code 1). Of the tests the fewest
    are kept that reach the same lines and branches. A build that was interrupted, or killed, keeps the finished
    problems, and the same command goes on.

    \b
    auditor build core -o core
    auditor build core my-problems/ -o my-run
    auditor build core my-problems/ --dry-run
    """
    from auditor.resources import data_folder
    from auditor.studies.core.admission import Thresholds
    from auditor.studies.core.building import BuildOptions
    from auditor.studies.core.problem_files import read_problems
    from auditor.studies.core.prompts import Prompting

    if out is None and not dry_run:
        raise InputError("there is no place to write to.", hint="Give -o RUN_DIR, or --dry-run.")
    if similar > too_similar:
        raise InputError("--similar is above --too-similar, so that no pair would be for experts.")
    target = None if dry_run else out
    problems, unreadable = read_problems(paths or [data_folder("sample_runs") / "core_problems"])
    given = BuildOptions(
        study,
        Thresholds(cyclomatic, similar, too_similar),
        probes,
        at_least or 0,
        all_tests,
        Prompting(whole_prompt) if whole_prompt else None,
        seconds,
        unsafe,
    )
    with Progress(quiet or as_json) as progress:
        built, stopped = _run(problems, given, Where(workers), target, progress)
    return _report(built, unreadable, len(problems), target, stopped, dry_run=dry_run, as_json=as_json)


def _run(
    problems: Sequence[Problem],
    given: BuildOptions,
    where: Where,
    target: Path | None,
    progress: Callable[[str, int, int], None],
) -> tuple[list[Built], Stopped | None]:
    """Build what is not there, and write what is finished; return it by name, and why it stopped early."""
    from auditor.studies.core.run_files import check_target, earlier_builds, write_run

    done: dict[str, Built] = {}
    if target is not None:
        check_target(target)
        done = earlier_builds(target)
    with interrupts_restored():
        built, stopped = _build(problems, given, where, done, target, progress)
        if target is not None and (built or not stopped):
            write_run(target, built, given.study)
    return sorted(built.values(), key=lambda one: one.problem), stopped


def _build(
    problems: Sequence[Problem],
    given: BuildOptions,
    where: Where,
    done: dict[str, Built],
    target: Path | None,
    progress: Callable[[str, int, int], None],
) -> tuple[dict[str, Built], Stopped | None]:
    """Return what is built by the digest of its problem, each kept at once where there is a target.

    After an interruption further ones are ignored.
    """
    from contextlib import closing

    from auditor.studies.core.building import build_all
    from auditor.studies.core.run_files import digest_of, keep

    digests = {problem.name: digest_of(problem, given) for problem in problems}
    kept = {digest: done[digest] for digest in digests.values() if digest in done}
    left = [problem for problem in problems if digests[problem.name] not in kept]
    stop = Stopping()
    with stop, where.executor(len(left)) as executor, closing(build_all(left, given, executor)) as finished, stop:
        for built in finished:
            digest = digests[built.problem]
            kept[digest] = built
            if target is not None:
                keep(target, digest, built)
            progress(f"{counted(len(kept), 'problem')} built", len(kept), len(problems))
    return kept, stop.why


def _report(
    built: Sequence[Built],
    unreadable: Sequence[Unreadable],
    problems: int,
    target: Path | None,
    stopped: Stopped | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Print what came of a build, and return its exit code."""
    refusals = [one for each in built for one in each.refusals]
    if as_json:
        print_json(_json(built, unreadable, target, problems - len(built)))
    else:
        _print(built, target, dry_run)
        for one in refusals:
            place = "/".join(visible_line(part, 60) for part in (one.problem, one.implementation) if part)
            print_text(f"refused: {place}: {one.reason.value}: {one.detail}")
        say_refused(unreadable, "record")
    if stopped is not None:
        say(f"auditor: {stopped.sentence.rstrip('.')}; {counted(len(built), 'problem')} finished.")
        if target is not None:
            say("The same command goes on from there.")
        return stopped.exit_code
    return int(bool(refusals) or bool(unreadable))


def _json(
    built: Sequence[Built], unreadable: Sequence[Unreadable], target: Path | None, missing: int
) -> dict[str, Any]:
    from dataclasses import asdict

    from auditor.studies.core.run_files import report_of

    return {
        "out": None if target is None else str(target),
        "problems": [{"problem": one.problem, "tasks": len(one.tasks), **report_of(one)} for one in built],
        "unreadable": [asdict(one) for one in unreadable],
        "missing": missing,
    }


def _print(built: Sequence[Built], target: Path | None, dry_run: bool) -> None:
    """Print the sizes of problems and of all together, as the paper's figures 2 and 4 have them."""
    from auditor.studies.core.size_table import size_rows

    admitted = [one for one in built if one.admitted]
    if admitted:
        columns = ("problem", "impl.", "tests", "least", "kept", "lines", "branches", "Jaccard", "CC", "probes")
        print_table((*columns, "A", "L", "S", "B"), size_rows(built))
        print_text()
        styles = sum((Counter(one.sizes.styles) for one in admitted), Counter[str]())
        told = (f"{visible_line(style, 40)} {count}" for style, count in sorted(styles.items()))
        print_text(f"Styles: {', '.join(told)}.")
    greedy = [one.problem for one in admitted if not one.sizes.exact]
    if greedy:
        print_text(f"Tests that cover all, chosen greedily: {', '.join(visible_line(name, 60) for name in greedy)}.")
    for one in admitted:
        for pair in one.for_experts:
            first, second = visible_line(pair.first, 60), visible_line(pair.second, 60)
            print_text(
                f"for experts: {visible_line(one.problem, 60)}: {first} and {second}, Jaccard {pair.jaccard:.2f}"
            )
    count = counted(sum(len(one.tasks) for one in built), "task")
    print_text(f"{count} of {counted(len(admitted), 'problem')}{'' if target is None else f' in {target}'}.")
    if target is not None and admitted:
        print_text(f"Next: auditor import audit.db {visible_line(shlex.quote(str(target)))}", wrap=False)
    if dry_run:
        print_text("Nothing was written.")
