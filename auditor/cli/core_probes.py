"""`auditor build core-probes`: what can be asked about the runs of a problem, for people who write probes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options
from auditor.cli.output import Progress, print_json, print_table, print_text, say_refused
from auditor.errors import InputError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from auditor.studies.core.probes import Probe
    from auditor.studies.core.problem import Problem, Test


@click.command("core-probes")
@click.argument("folder", type=click.Path(path_type=Path), metavar="PROBLEM")
@click.option("--implementation", metavar="NAME", help="Only this one.")
@click.option("--test", "test_name", metavar="NAME", help="Only this test; else the one with the longest arguments.")
@click.option("--limit", type=options.COUNT, default=20, show_default=True, metavar="N", help="The deepest N.")
@click.option("--unsafe", is_flag=True, help="Run the programs even where nothing here can contain them.")
@options.as_json
@options.quiet
def core_probes(
    folder: Path,
    implementation: str | None,
    test_name: str | None,
    limit: int,
    unsafe: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """List the probes that can be proposed of a PROBLEM's runs, those with the longest way to their answer first.

    A line of --json's `probes`, without its answer and depth, can go into PROBLEM/probes.jsonl as it is or changed:
    `auditor build core` takes what is written there first, and computes the answers itself. An implementation about
    whose run nothing can be asked is listed with the reason (exit code 1).

    \b
    auditor build core-probes sample_runs/core_problems/longest_run
    auditor build core-probes my-problem --implementation loops --test t03 --json
    """
    from auditor.audit.probe_runs import opened_boxes
    from auditor.studies.core.probes import Unaskable, run_to_ask
    from auditor.studies.core.problem_files import read_problems

    problems, unreadable = read_problems([folder])
    if not problems:
        raise InputError(unreadable[0].reason, where=unreadable[0].where)
    if len(problems) != 1:
        raise InputError(f"this holds {counted(len(problems), 'problem')}.", hint="Give the folder of one problem.")
    (problem,) = problems
    test = _test(problem, test_name)
    chosen = [one for one in problem.implementations if implementation in (None, one.name)]
    if not chosen:
        names = ", ".join(visible_line(one.name, 60) for one in problem.implementations)
        raise InputError(f"there is no such implementation; there are {names}.")
    found: list[dict[str, Any]] = []
    unaskable: dict[str, str] = {}
    with opened_boxes(unsafe=unsafe) as boxes, Progress(quiet or as_json) as progress:
        for number, one in enumerate(chosen, 1):
            run = run_to_ask(boxes, one.source, problem.call(test))
            if isinstance(run, Unaskable):
                unaskable[one.name] = run.why
            else:
                found += [_record(one.name, test.name, probe) for probe in run.propose()]
            progress("implementations run", number, len(chosen))
    found.sort(key=lambda one: -one["depth"])
    if as_json:
        reasons = [{"implementation": name, "reason": why} for name, why in unaskable.items()]
        print_json({"problem": problem.name, "proposed": len(found), "probes": found[:limit], "refused": reasons})
    else:
        _print(found, limit)
        for name, why in unaskable.items():
            print_text(f"refused: {visible_line(name, 60)}: with test {visible_line(test.name, 40)} {why}")
    say_refused(unreadable, "record")
    return int(bool(unreadable) or bool(unaskable))


def _record(implementation: str, test: str, probe: Probe) -> dict[str, Any]:
    answer, answer_type = probe.answer
    return {
        "implementation": implementation,
        "test": test,
        "kind": probe.kind,
        "line": probe.line,
        "n": probe.n,
        "variable": probe.variable,
        "question": probe.question,
        "dimensions": list(probe.dimensions),
        "answer": answer,
        "answer_type": answer_type,
        "depth": probe.depth,
    }


def _test(problem: Problem, name: str | None) -> Test:
    if not problem.tests:
        raise InputError("the problem has no usable tests.")
    if name is None:
        return max(problem.tests, key=lambda test: len(test.arguments))
    test = next((test for test in problem.tests if test.name == name), None)
    if test is None:
        known = ", ".join(visible_line(test.name, 40) for test in problem.tests)
        raise InputError(f"there is no test {visible_line(name, 40)}; there are {known}.")
    return test


def _print(found: list[dict[str, Any]], limit: int) -> None:
    rows = [
        (
            visible_line(one["implementation"], 30),
            one["depth"],
            "".join(name[0] for name in one["dimensions"]),
            visible_line(json.dumps(one["answer"], ensure_ascii=False), 30),
            visible_line(one["question"], 300),
        )
        for one in found[:limit]
    ]
    if not found:
        print_text("No probe is proposed.")
        return
    print_table(("implementation", "depth", "dim.", "answer", "question"), rows)
    print_text()
    print_text(f"{counted(len(found), 'probe')} proposed; the deepest {min(limit, len(found)):,} are listed.")
