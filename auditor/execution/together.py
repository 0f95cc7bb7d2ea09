"""Run many variants of one Python program quickly, one after the other in one place."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from auditor.execution.evaluation import Evaluation, evaluation_of
from auditor.execution.inside.framing import Message
from auditor.execution.program import Limits, Run
from auditor.execution.sandbox import Sandbox, python_job, run_of, told_by

_SPARE_SECONDS = 5.0
_STOPPED = (None, "wall", "output")


class Variant(NamedTuple):
    """A program with its input, or a module with an expression to evaluate in it."""

    source: bytes
    stdin: bytes = b""
    expression: str | None = None


def run_together(sandbox: Sandbox, variants: Sequence[Variant], limits: Limits) -> list[Run | Evaluation | None]:
    """Run variants within these limits each, and return what each came to; None for one of which nothing is known.

    They are behind the sandbox's wall together: they share the empty folder, and none may start processes. One that
    means harm may forge or spoil the results of the others, so what matters has to be run alone besides.
    """
    room = replace(
        limits,
        wall=limits.wall * len(variants) + _SPARE_SECONDS,
        forks=True,
        result=(2 * limits.output + (1 << 20)) * len(variants),
    )
    job = python_job("together", room)
    job["files"] = []
    job.update(
        calls=[each.expression is not None for each in variants],
        each_wall=float(limits.wall),
        each_cpu=float(limits.cpu),
        each_output=limits.output,
    )
    blobs = [part for each in variants for part in (each.source, _given(each))]
    answer = sandbox.ask(job, b"", *blobs)
    found: list[Run | Evaluation | None] = [None] * len(variants)
    for number, told in _told(answer, len(variants)):
        run = run_of(told, limits, python=True)
        found[number] = run if variants[number].expression is None else evaluation_of(told, run, told_by)
    return found


def _given(variant: Variant) -> bytes:
    return variant.stdin if variant.expression is None else variant.expression.encode(errors="surrogatepass")


def _told(answer: Message, count: int) -> Iterator[tuple[int, Message]]:
    """Yield what is told of each variant, as the report of a run of its own."""
    for header, blobs in told_by(answer.blobs[2]) if len(answer.blobs) > 2 else ():
        number, status, stopped = header.get("together"), header.get("status"), header.get("stopped")
        seconds, cpu = header.get("seconds"), header.get("cpu")
        if type(number) is not int or not 0 <= number < count or type(status) is not int or len(blobs) != 2:
            continue
        if status == -signal.SIGPROF:
            status = -signal.SIGXCPU  # the processor time is over
        if stopped in _STOPPED and isinstance(seconds, float) and isinstance(cpu, float):
            report = {"stopped": stopped, "status": status, "seconds": seconds, "cpu": cpu, "memory": 0}
            yield number, Message(report, [blobs[0], b"", blobs[1]])
