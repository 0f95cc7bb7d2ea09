"""Record what a Python program does, in one run or, where it is long and moments late in it are asked for, in two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from auditor.execution.inside.framing import Message
from auditor.execution.outcome import Ending, Outcome
from auditor.execution.program import Limits, Program, Run
from auditor.execution.sandbox import DEFAULT_LIMITS, Sandbox, python_job, run_of, told_by
from auditor.execution.trace import Chunk, Cut, Trace

_TRACER_MEMORY = 512 << 20
"""Bytes that a traced program gets beyond its limit, for what the tracer keeps."""
_SPARE = 0.5
"""Share of its time limit that a traced run gets on top, so that the tracer can end it in order."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A moment of a run: the step at which the state is that of the checkpoint."""

    kind: Literal["iteration", "after_loop", "after_line"]
    """Before an iteration of the loop that begins at `line`; when that loop has ended; when `line` has run."""
    line: int
    n: int = 1
    """The how manieth time, from 1, counted over the whole run."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of a run is recorded."""

    steps: int = 100_000
    """Steps from the start."""
    bytes: int = 64 << 20
    """Bytes of those, as they are kept."""
    seconds: float = 20.0
    """Seconds of each run under watch."""
    before: int = 500
    """Steps kept before a checkpoint, and at the end of the run."""
    after: int = 200
    """Steps kept after a checkpoint."""
    value: int = 20_000
    """Characters of one value."""


DEFAULT_BUDGET = Budget()
Progress = Callable[[int, "int | None"], None]
"""Is given a number of steps, and how many there are where that is known."""


class _Pass(NamedTuple):
    """One run under watch."""

    run: Run
    chunks: list[Chunk]
    end: dict[str, Any] | None
    """What the tracer said at the end; None when it did not get there."""


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 60


def _chunk(contents: dict[str, Any], data: bytes) -> Chunk | None:
    """Return a chunk; None when what is said of it is not what a tracer says."""
    first, count, names = contents.get("first", -1), contents.get("count", -1), contents.get("names")
    lines, output = contents.get("lines"), contents.get("output")
    if not isinstance(lines, list) or not isinstance(names, list) or not isinstance(output, list) or len(output) != 2:
        return None
    if not all(map(_is_number, (first, count, *lines, *output))) or not all(isinstance(name, str) for name in names):
        return None
    return Chunk(first, count, data, frozenset(lines), frozenset(names), (output[0], output[1])) if count else None


def _read(answer: Message, limits: Limits) -> _Pass:
    """Take a report apart; chunks that do not follow each other are left out, with all that comes after."""
    run = run_of(answer, limits, python=True)
    chunks: list[Chunk] = []
    end: dict[str, Any] | None = None
    for header, blobs in told_by(answer.blobs[2]) if len(answer.blobs) > 2 else ():
        place = header.get("chunk")
        if isinstance(place, dict) and blobs:
            chunk = _chunk(place, blobs[0])
            if chunk is None or (chunks and chunk.first < chunks[-1].first + chunks[-1].count):
                break
            chunks.append(chunk)
        elif isinstance(header.get("trace"), dict) and _is_number(header["trace"].get("steps")):
            end = header["trace"]
    if end is not None and end.get("cut") == "seconds":
        run = replace(run, outcome=Outcome(Ending.WALL_TIME, message="the time for tracing"))
    return _Pass(run, chunks, end)


def _watched(
    sandbox: Sandbox,
    program: Program,
    stdin: bytes,
    limits: Limits,
    budget: Budget,
    windows: list[tuple[int, int]],
    checkpoints: Sequence[Checkpoint],
    progress: Callable[[int], None] | None,
) -> _Pass:
    room = replace(
        limits,
        memory=limits.memory + _TRACER_MEMORY,
        wall=budget.seconds * (1 + _SPARE) + 1,
        cpu=budget.seconds * (1 + _SPARE) + 1,
        result=2 * budget.bytes + (64 << 20),
    )
    job = python_job("trace", room)
    job["trace"] = {
        "windows": windows,
        "moments": [{"kind": point.kind, "line": point.line, "n": point.n} for point in checkpoints],
        "seconds": budget.seconds,
        "bytes": budget.bytes,
        "value_limit": budget.value,
        "tell": progress is not None,
    }
    return _read(sandbox.ask(job, stdin, program.source, progress=progress), room)


def _steps_of(end: dict[str, Any] | None, count: int) -> list[int | None]:
    """Return where the tracer says the checkpoints were."""
    found = end.get("moments") if end is not None else None
    if not isinstance(found, list) or len(found) != count:
        return [None] * count
    return [step if _is_number(step) else None for step in found]


def _missing_windows(first: _Pass, moments: list[int | None], budget: Budget) -> list[tuple[int, int]]:
    """Return the parts of a run that should be kept and were not, in order and without overlap."""
    assert first.end is not None
    total = int(first.end["steps"])
    kept = first.chunks[-1].first + first.chunks[-1].count if first.chunks else 0
    wanted = [(step - budget.before, step + budget.after + 1) for step in moments if step is not None]
    wanted.append((total - budget.before, total))
    windows: list[tuple[int, int]] = []
    for start, stop in sorted(wanted):
        start, stop = max(start, kept), min(stop, total)
        if start >= stop:
            continue
        if windows and start <= windows[-1][1]:
            windows[-1] = windows[-1][0], max(stop, windows[-1][1])
        else:
            windows.append((start, stop))
    return windows


def _cut_of(end: dict[str, Any] | None, whole: bool) -> Cut | None:
    if end is None:
        return "ended"
    for known in ("seconds", "bytes", "memory"):
        if end.get("cut") == known:
            return known
    return None if whole else "steps"


def trace(
    sandbox: Sandbox,
    program: Program,
    *,
    stdin: bytes = b"",
    checkpoints: Sequence[Checkpoint] = (),
    limits: Limits = DEFAULT_LIMITS,
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress | None = None,
) -> Trace:
    """Run a Python program under watch and return what it did.

    The first `budget.steps` steps are kept, and of a longer run also those around the checkpoints and its last ones,
    for which it is run a second time. The time limit is the budget's, which allows for what watching costs. `progress`
    is called some times a second with the steps so far, as the program's process tells them.
    """
    if program.language != "python":
        raise ValueError("only Python programs are traced")
    first = _watched(sandbox, program, stdin, limits, budget, [(0, budget.steps)], checkpoints, _to(progress, None))
    moments = _steps_of(first.end, len(checkpoints))
    chunks, notes = list(first.chunks), _notes(first, checkpoints)
    kept = sum(chunk.count for chunk in chunks)
    whole = first.end is not None and kept == first.end["steps"]
    cut = _cut_of(first.end, whole)
    if first.end is not None and not whole and cut in ("steps", "bytes"):
        windows = _missing_windows(first, moments, budget)
        total = first.end["steps"]
        second = _watched(sandbox, program, stdin, limits, budget, windows, checkpoints, _to(progress, total))
        if second.end is None or second.end.get("steps") != first.end["steps"] or _moved(second, moments):
            notes.append("The program did something else when it was run again, so only the first steps were kept.")
        else:
            chunks += second.chunks
    loose = first.end.get("loose") if first.end is not None else None
    return Trace(
        first.run,
        chunks,
        total=first.end["steps"] if first.end is not None and first.end.get("cut") != "seconds" else None,
        cut=cut,
        moments=moments,
        loose=[name for name in loose if isinstance(name, str)] if isinstance(loose, list) else (),
        notes=notes,
    )


def _to(progress: Progress | None, total: int | None) -> Callable[[int], None] | None:
    return None if progress is None else lambda step: progress(step, total)


def _moved(second: _Pass, moments: list[int | None]) -> bool:
    return _steps_of(second.end, len(moments)) != moments


def _notes(done: _Pass, checkpoints: Sequence[Checkpoint]) -> list[str]:
    """Return what has to be said of a run under watch."""
    if done.end is None:
        return ["The program ended in a way that left the tracer no word; its last steps are not kept."]
    notes = []
    if done.end.get("switched_off"):
        notes.append("The tracer was switched off, by the program or at the limit of recursion; the rest is not known.")
    unknown = done.end.get("unknown")
    if isinstance(unknown, list) and len(unknown) == len(checkpoints):
        notes += [
            f"No loop begins in line {p.line}."
            for p, is_unknown in zip(checkpoints, unknown, strict=True)
            if is_unknown
        ]
    if done.end.get("output") != len(done.run.stdout) and done.run.outcome.ending is not Ending.OUTPUT:
        notes.append("The program wrote past sys.stdout, so how far its output was at each step is not exact.")
    return notes
