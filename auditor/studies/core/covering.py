"""Which lines and branches of an implementation each test reaches, as coverage.py counts them behind the wall."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from auditor.errors import InputError
from auditor.execution.program import Limits, Program
from auditor.execution.sandbox import Sandbox

_DRIVER = """\
import io, json, sys
sys.path.insert(0, {place!r})
import coverage
del sys.path[0]
sources, calls, ours, found = {sources!r}, {calls!r}, sys.stdout, []
for number, source in enumerate(sources):
    name = f"implementation_{{number}}.py"
    open(name, "w", encoding="utf-8", newline="").write(source)
    code = compile(source, name, "exec", dont_inherit=True)
    known = {{}}
    found.append([])
    for call in calls:
        measured = coverage.Coverage(data_file=None, branch=True, include=[name], config_file=False, messages=False)
        sys.stdout = io.StringIO()
        measured.start()
        try:
            space = {{"__name__": "implementation"}}
            exec(code, space)
            eval(call, space)
        finally:
            measured.stop()
            sys.stdout = ours
        data = measured.get_data()
        arcs = frozenset(arc for file in data.measured_files() for arc in data.arcs(file))
        if arcs not in known:
            measured.json_report(outfile="report.json")
            told = json.load(open("report.json", encoding="utf-8"))["files"][name]
            names = ("executed_lines", "executed_branches", "missing_lines", "missing_branches")
            known[arcs] = [told[name] for name in names]
        found[-1].append(known[arcs])
json.dump(found, ours)
"""
_MEMORY = 2 << 30
_SECONDS = 60.0
"""Processor time for all calls of the implementations of a problem."""


class Reached(NamedTuple):
    """What one test reaches of an implementation: lines, and branches as pairs of lines."""

    lines: frozenset[int]
    branches: frozenset[tuple[int, int]]
    """From a line to the next, negative where the function is left, of lines that more than one may follow."""
    all_lines: int
    """Lines that there are to reach, reached or not."""
    all_branches: int


class NotMeasuredError(Exception):
    """The measured run did not come to its end."""


def coverage_folder() -> str:
    """Return where coverage.py is installed; raises InputError where it is not."""
    try:
        import coverage
    except ImportError as error:
        hint = "Install it with: pip install 'auditor[core]'"
        raise InputError("tests are chosen by coverage.py, which is not installed.", hint=hint) from error
    return str(Path(coverage.__file__).parent)


def reached_by_all(
    sandbox: Sandbox, sources: Mapping[str, str], calls: Sequence[str], folder: str
) -> dict[str, list[Reached] | NotMeasuredError]:
    """Return what each call reaches of each implementation, or why that is not known; arguments as for `reached_by`."""
    try:
        found = _measured(sandbox, list(sources.values()), calls, folder, _SECONDS)
        return dict(zip(sources, found, strict=True))
    except NotMeasuredError:
        pass  # one of them is to blame, which must not take the others along
    alone: dict[str, list[Reached] | NotMeasuredError] = {}
    for name, source in sources.items():
        try:
            alone[name] = reached_by(sandbox, source, calls, folder)
        except NotMeasuredError as error:
            alone[name] = error
    return alone


def reached_by(sandbox: Sandbox, source: str, calls: Sequence[str], folder: str) -> list[Reached]:
    """Return what each call reaches, each on a module of its own; `folder` is coverage.py's, which the sandbox reads.

    Raises NotMeasuredError with the reason.
    """
    (found,) = _measured(sandbox, [source], calls, folder, _SECONDS)
    return found


def _measured(
    sandbox: Sandbox, sources: Sequence[str], calls: Sequence[str], folder: str, seconds: float
) -> list[list[Reached]]:
    driver = _DRIVER.format(place=str(Path(folder).parent), sources=list(sources), calls=list(calls))
    run = sandbox.run(Program.python(driver), limits=Limits(wall=2 * seconds, cpu=seconds, memory=_MEMORY))
    if not run.outcome.finished:
        raise NotMeasuredError(f"the run under coverage.py {run.outcome.sentence}")
    try:
        found = [[_reached(*told) for told in of_one] for of_one in json.loads(run.stdout)]
    except (ValueError, TypeError) as error:
        raise NotMeasuredError("the program hindered the measurement of its coverage") from error
    if [len(of_one) for of_one in found] != [len(calls)] * len(sources):
        raise NotMeasuredError("the program hindered the measurement of its coverage")
    return found


def _reached(lines: list[int], branches: list[Any], no_lines: list[int], no_branches: list[Any]) -> Reached:
    pairs = frozenset((int(start), int(end)) for start, end in branches)
    return Reached(frozenset(map(int, lines)), pairs, len(lines) + len(no_lines), len(branches) + len(no_branches))
