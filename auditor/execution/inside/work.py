"""What the process of a job is to do, by the kind of the job."""

from __future__ import annotations

import os
from collections.abc import Callable

from auditor.execution.inside.framing import Message, pack
from auditor.execution.inside.job import Work
from auditor.execution.inside.measuring import measure_program
from auditor.execution.inside.python_program import Report, evaluate, run_program
from auditor.execution.inside.together import run_together
from auditor.execution.inside.tracer import trace_program


def _execute(arguments: list[str], environment: dict[str, str]) -> Callable[[int], None]:
    def work(descriptor: int) -> None:
        try:
            os.execve(arguments[0], arguments, environment)
        except OSError as error:
            os.write(descriptor, pack({"not_started": f"{arguments[0]}: {error.strerror}"}))
            os._exit(127)

    return work


def work_of(message: Message) -> Work:
    """Return what the program's process of a job is to do."""
    header, blobs = message
    kind = header["kind"]
    if kind == "execute":
        return _execute(header["arguments"], header["environment"])
    if kind == "trace":
        return lambda descriptor: trace_program(blobs[1], header, Report(descriptor))
    if kind == "together":
        return lambda descriptor: run_together(message, Report(descriptor))
    if kind == "measure":
        return lambda descriptor: measure_program(blobs[1], header, Report(descriptor))
    if kind == "evaluate":
        return lambda descriptor: evaluate(blobs[1], header, Report(descriptor))
    return lambda descriptor: run_program(blobs[1], Report(descriptor))
