"""What came of evaluating one expression of a program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from auditor.execution.inside.framing import Message
from auditor.execution.outcome import Outcome
from auditor.execution.program import Run

Phase = Literal["program", "expression", "expected"]
_PHASES: tuple[Phase, ...] = ("program", "expression", "expected")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of an expression, or how the run ended without one."""

    outcome: Outcome
    text: str | None = None
    """The value: its repr when `exact`, else what fits of it; None when there is no value."""
    type_name: str | None = None
    exact: bool = False
    """The text is the whole repr of a value made of builtin types throughout."""
    equal: bool | None = None
    """Whether the value equals the expected one by `==`; None when nothing was expected.

    An object of the program's own type says of itself what it equals: look at `builtin` too.
    """
    builtin: bool = False
    """The value is made of builtin types throughout."""
    phase: Phase | None = None
    """What was being run when it ended without a value."""
    stdout: bytes = b""
    stderr: bytes = b""
    seconds: float = 0.0
    cpu_seconds: float = 0.0


def _decoded(blob: bytes) -> str | None:
    """Return a value's text; None for bytes that are none, which only a program that forges its report writes."""
    try:
        return blob.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return None


def evaluation_of(answer: Message, run: Run, told_by: Callable[[bytes], list[Message]]) -> Evaluation:
    """Return a report as an evaluation; what is no such report of a value leaves it without one."""
    told = told_by(answer.blobs[2]) if len(answer.blobs) > 2 else []
    phase: Phase | None = None
    for header, blobs in reversed(told):
        value = header.get("value")
        text = _decoded(blobs[0]) if blobs else None
        if run.outcome.finished and isinstance(value, dict) and text is not None:
            name, equal = value.get("type"), value.get("equal")
            return Evaluation(
                run.outcome,
                text,
                name if isinstance(name, str) else None,
                value.get("exact") is True,
                equal if isinstance(equal, bool) else None,
                value.get("builtin") is True,
                None,
                run.stdout,
                run.stderr,
                run.seconds,
                run.cpu_seconds,
            )
        phase = next((known for known in _PHASES if known == header.get("phase")), phase)
    return Evaluation(
        run.outcome,
        phase=phase,
        stdout=run.stdout,
        stderr=run.stderr,
        seconds=run.seconds,
        cpu_seconds=run.cpu_seconds,
    )
