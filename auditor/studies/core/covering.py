"""Which lines and branches of an implementation each test reaches, as coverage.py counts them behind the wall."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
source, calls, found = {source!r}, {calls!r}, []
open("implementation.py", "w", encoding="utf-8", newline="").write(source)
code = compile(source, "implementation.py", "exec", dont_inherit=True)
ours, known = sys.stdout, {{}}
for call in calls:
    measured = coverage.Coverage(
        data_file=None, branch=True, include=["implementation.py"], config_file=False, messages=False
    )
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
        told = json.load(open("report.json", encoding="utf-8"))["files"]["implementation.py"]
        names = ("executed_lines", "executed_branches", "missing_lines", "missing_branches")
        known[arcs] = [told[name] for name in names]
    found.append(known[arcs])
json.dump(found, ours)
"""
_MEMORY = 2 << 30


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


def reached_by(
    sandbox: Sandbox, source: str, calls: Sequence[str], folder: str, seconds: float = 60.0
) -> list[Reached]:
    """Return what each call reaches, each on a module of its own; `folder` is coverage.py's, which the sandbox reads.

    Raises NotMeasuredError with the reason.
    """
    driver = _DRIVER.format(place=str(Path(folder).parent), source=source, calls=list(calls))
    run = sandbox.run(Program.python(driver), limits=Limits(wall=seconds, cpu=seconds, memory=_MEMORY))
    if not run.outcome.finished:
        raise NotMeasuredError(f"the run under coverage.py {run.outcome.sentence}")
    try:
        found = [_reached(*told) for told in json.loads(run.stdout)]
    except (ValueError, TypeError) as error:
        raise NotMeasuredError("the program hindered the measurement of its coverage") from error
    if len(found) != len(calls):
        raise NotMeasuredError("the program hindered the measurement of its coverage")
    return found


def _reached(lines: list[int], branches: list[Any], no_lines: list[int], no_branches: list[Any]) -> Reached:
    pairs = frozenset((int(start), int(end)) for start, end in branches)
    return Reached(frozenset(map(int, lines)), pairs, len(lines) + len(no_lines), len(branches) + len(no_branches))
