"""Running the real programs with the real Python, and the checks that a case must pass to be in the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from making.cases import ARMS, INSIDE, LONG, NEVER, POST, SHORT, Case, Instrumented, instrument
from making.machine import Orders, Outcome, compact, interpret

STATES = (INSIDE, POST)


class NotAdmitted(ValueError):
    """A case fails a check of its construction."""


@dataclass(frozen=True)
class Admitted:
    """A case whose checks all passed, with what its four tasks are made of."""

    case: Case
    sources: dict[str, str]
    oracles: dict[str, str]
    """What the real program wrote, by arm."""
    right: dict[str, Outcome]
    """The interpreter's run without a fault, by arm."""
    lines: dict[str, int]
    """The line that emits the state, by state arm."""
    iterations: dict[str, int]


def execute(source: str, text: str, folder: Path, seed: int = 0) -> str:
    """Run a program in a Python of its own and return what it wrote.

    Raises NotAdmitted when it fails or does not end within 20 seconds.
    """
    path = folder / "program.py"
    path.write_text(source, encoding="ascii")
    try:
        done = subprocess.run(
            [sys.executable, "-S", "-B", str(path)],
            input=text.encode(),
            capture_output=True,
            timeout=20,
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise NotAdmitted(f"the program fails: {error.stderr.decode()[-200:]}") from error
    except subprocess.TimeoutExpired as error:
        raise NotAdmitted("the program does not end") from error
    return done.stdout.decode()


def require(claim: bool, message: str) -> None:
    """Raise NotAdmitted unless a claim holds."""
    if not claim:
        raise NotAdmitted(message)


def orders_of(case: Case, arm: str) -> Orders:
    """Return the orders under which the interpreter answers an arm."""
    stop = case.iteration if arm == INSIDE else None
    return Orders(stop_before=stop, stop_after=arm == POST)


def admit(case: Case, folder: Path) -> Admitted:
    """Build a case's four tasks and check them by execution.

    Raises NotAdmitted when the long input does not make the longer trace, a run is not repeatable, a checkpoint is not
    reached or reports other fields or types than the other one, no field changes between them, the instrumented program
    does not do what the clean one does while its checkpoint is out of reach, or the interpreter disagrees with Python.
    """
    right = {arm: interpret(case, case.input_of(arm), orders_of(case, arm)) for arm in ARMS}
    iterations = {INSIDE: case.iteration, POST: len(right[POST].passes)}
    stops: dict[str, Instrumented] = {arm: instrument(case, arm, iterations[arm]) for arm in STATES}
    sources = {SHORT: case.source, LONG: case.source} | {arm: stop.source for arm, stop in stops.items()}
    oracles = {arm: execute(sources[arm], case.input_of(arm), folder) for arm in ARMS}
    for arm in ARMS:
        again = execute(sources[arm], case.input_of(arm), folder, seed=1)
        require(again == oracles[arm], f"{case.name} {arm}: two runs differ")
        given = right[arm].failure or right[arm].text
        require(given == oracles[arm], f"{case.name} {arm}: the interpreter gives {given!r}, not {oracles[arm]!r}")
    for arm in STATES:
        never = instrument(case, arm, NEVER).source
        for text, clean in ((case.short, oracles[SHORT]), (case.long, oracles[LONG])):
            require(execute(never, text, folder) == clean, f"{case.name} {arm}: instrumenting changes the output")
    for _ in range(3):
        short, long = (interpret(case, case.input_of(arm), orders_of(case, arm)).steps for arm in (SHORT, LONG))
        require(short < long, f"{case.name}: {short} statements on the short input, {long} on the long one")
    inside, post = (json.loads(oracles[arm]) for arm in STATES)
    for arm, state in ((INSIDE, inside), (POST, post)):
        require(list(state) == list(case.fields), f"{case.name} {arm}: the state has other fields")
        require(compact(state) == oracles[arm], f"{case.name} {arm}: the state is not compact JSON")
    require(all(type(inside[f]) is type(post[f]) for f in case.fields), f"{case.name}: a field changes its type")
    require(inside != post, f"{case.name}: no field changes between the checkpoints")
    lines = {arm: stop.line for arm, stop in stops.items()}
    return Admitted(case, sources, oracles, right, lines, iterations)
