"""The dynamic measures of a Python program on one input; they depend on the version of Python that ran it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from auditor.execution.program import Limits, Program, Run
from auditor.execution.sandbox import DEFAULT_LIMITS, Sandbox, python_job, run_of, told_by

_MORE_MEMORY = 256 << 20
_BEYOND = 1 << 60
"""No run counts this far: a program that wrote its own report says so."""


@dataclass(frozen=True, slots=True)
class Measures:
    """What a run measured; a number is None when the program ended without a word, tampered, or took too long."""

    run: Run
    trace_length: int | None
    """CPython opcode events in the program's own code."""
    peak_state: int | None
    """The largest state at any observation: slots of variables, members and attributes that the program can reach."""
    state_load: int | None
    """The sum of the state's sizes over all observations."""
    observations: int | None
    """Lines that were about to run, and returns."""
    python: str = f"{sys.version_info[0]}.{sys.version_info[1]}"
    """The version whose opcodes were counted."""


def measure(
    sandbox: Sandbox,
    program: Program,
    *,
    stdin: bytes = b"",
    opcodes: bool = True,
    state: bool = True,
    seconds: float = 60.0,
    limits: Limits = DEFAULT_LIMITS,
) -> Measures:
    """Run a Python program and measure it; what is not asked for is None.

    Trace length is Omega_Trace, peak state Omega_StateSize and load Omega_StateLoad = sum over t of |S_t|, of the study
    "Evaluating Exact Output and Checkpoint-State Prediction in Real Programs" (section 5), with the observations t at
    the lines and returns of the program's own code. `seconds` is the time for measuring, in place of the time limits.
    """
    if program.language != "python":
        raise ValueError("only Python programs are measured")
    room = replace(limits, wall=seconds + 5, cpu=seconds + 5, memory=limits.memory + _MORE_MEMORY)
    job = python_job("measure", room)
    job["measure"] = {"opcodes": opcodes, "state": state, "seconds": seconds}
    answer = sandbox.ask(job, stdin, program.source)
    run = run_of(answer, room, python=True)
    found: dict[str, int] = {}
    for message in told_by(answer.blobs[2]) if len(answer.blobs) > 2 else ():
        told = message.header.get("measured")
        if isinstance(told, dict):
            found = {name: value for name, value in told.items() if type(value) is int and 0 <= value < _BEYOND}
    return Measures(
        run,
        found.get("opcodes") if opcodes else None,
        found.get("peak") if state else None,
        found.get("load") if state else None,
        found.get("observations") if state else None,
    )
