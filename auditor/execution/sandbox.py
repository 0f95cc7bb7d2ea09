"""Run programs behind the strongest wall that this system offers, one after the other, each in a place of its own."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from auditor.execution.compilers import COMPILER_LIMITS, COMPILER_PLACES, compiler_arguments
from auditor.execution.connection import Connection, SandboxError
from auditor.execution.evaluation import Evaluation, evaluation_of
from auditor.execution.inside.framing import FramingError, Message, pack, unpack
from auditor.execution.outcome import Ending, Outcome, outcome_of
from auditor.execution.program import Limits, Program, Run
from auditor.execution.protection import Protection, strongest_protection
from auditor.execution.wall import Wall, interpreter

_GRACE_SECONDS = 30.0
"""Beyond the time limit of a run, before the sandbox itself counts as lost."""
_AHEAD = 8
"""Jobs that wait at the sandbox while it runs one."""
_BYTES_AHEAD = 48 << 10
"""Bytes of those."""
_BINARIES = 32
"""Compiled programs that are kept."""
_BINARY_LIMIT = 64 << 20
DEFAULT_LIMITS = Limits()
_NOTHING: Mapping[str, str] = {}
Request = tuple[dict[str, Any], tuple[bytes, ...]]
"""The header of a job, and its input and files."""


def told_by(result: bytes) -> list[Message]:
    """Return the messages that a program's process told of itself, up to the first that is none."""
    messages: list[Message] = []
    place = 0

    def take(count: int) -> bytes:
        nonlocal place
        place += count
        return result[place - count : place]

    while True:
        try:
            message = unpack(take, len(result))
        except FramingError:
            return messages
        if message is None:
            return messages
        messages.append(message)


class Sandbox:
    """A place to run untrusted programs, kept warm between them; use it in a `with` statement.

    Each program gets an own empty folder, own processes and own shared memory, and leaves nothing to the next one. Not
    for several threads at once: each takes its own.
    """

    def __init__(
        self,
        *,
        unsafe: bool = False,
        hash_seed: int | None = 0,
        readable: Sequence[str] = (),
        walls: Sequence[Wall] | None = None,
    ) -> None:
        """Choose the first wall, of all or of `walls`, that holds; programs may also read the folders of `readable`.

        `hash_seed` is that of Python's hashes, the same for all programs; None for one at random. Raises RefusedError
        when the system offers no wall and not `unsafe`.
        """
        self.protection: Protection = strongest_protection(unsafe=unsafe, walls=walls)
        self._seed, self._readable = hash_seed, tuple(readable)
        self._connection: Connection | None = None
        self._progress: Callable[[int], None] | None = None
        self._binaries: OrderedDict[tuple[bytes, tuple[str, ...]], bytes] = OrderedDict()

    def __enter__(self) -> Sandbox:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """End everything that runs; the next job would start anew."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def abandon(self) -> None:
        """End what runs without waiting for it; other than everything else here, another thread may call it."""
        connection = self._connection
        if connection is not None:
            connection.abandon()

    def run(
        self,
        program: Program,
        *,
        stdin: bytes = b"",
        limits: Limits = DEFAULT_LIMITS,
        environment: Mapping[str, str] = _NOTHING,
    ) -> Run:
        """Run a program to its end, or to a limit; `environment` is that of a compiled one."""
        if program.language == "c++":
            binary = self._compiled(program)
            if isinstance(binary, Run):
                return binary
            return run_of(self.ask(_binary_job(limits, environment), stdin, binary), limits)
        if program.fresh:
            return run_of(self.ask(self._fresh_job(limits), stdin, program.source), limits)
        return run_of(self.ask(python_job("run", limits), stdin, program.source), limits, python=True)

    def run_many(
        self, source_and_stdin: Iterable[tuple[bytes, bytes]], *, limits: Limits = DEFAULT_LIMITS
    ) -> Iterator[Run]:
        """Run Python programs one after the other, each in a place of its own; results come in the same order."""
        requests = ((python_job("run", limits), (stdin, source)) for source, stdin in source_and_stdin)
        for answer in self._ask_many(requests):
            yield run_of(answer, limits, python=True)

    def evaluate(
        self, source: bytes, expression: str, expected: str | None = None, *, limits: Limits = DEFAULT_LIMITS
    ) -> Evaluation:
        """Run a Python module, then evaluate an expression in it and compare the value with that of `expected`."""
        (done,) = self.evaluate_many([(source, expression, expected)], limits=limits)
        return done

    def evaluate_many(
        self, jobs: Iterable[tuple[bytes, str, str | None]], *, limits: Limits = DEFAULT_LIMITS
    ) -> Iterator[Evaluation]:
        """Evaluate expressions one after the other, each in a process of its own; results come in the same order."""
        requests = (
            ({**python_job("evaluate", limits), "expression": expression, "expected": expected}, (b"", source))
            for source, expression, expected in jobs
        )
        for answer in self._ask_many(requests):
            yield evaluation_of(answer, run_of(answer, limits, python=True), told_by)

    def ask(self, header: dict[str, Any], *blobs: bytes, progress: Callable[[int], None] | None = None) -> Message:
        """Have one job done and return the report; that of a lost sandbox says so.

        `progress` is called with how far a job that tells that says it is.
        """
        self._progress = progress
        try:
            (answer,) = self._ask_many([({**header, "tells": progress is not None}, blobs)])
        finally:
            self._progress = None
        return answer

    def _open(self) -> Connection:
        if self._connection is None:
            self._connection = Connection(self.protection.wall, hash_seed=self._seed, readable=self._readable)
        return self._connection

    def _ask_many(self, requests: Iterable[Request]) -> Iterator[Message]:
        """Yield the reports of jobs, some of which are sent ahead; whoever stops early loses those."""
        waiting: list[tuple[float, int]] = []
        try:
            for header, blobs in requests:
                size = len(pack(header)) + sum(map(len, blobs))
                # What waits has to fit into the channel: the other side reads nothing while it answers.
                while waiting and (
                    len(waiting) >= _AHEAD or size + sum(bytes_ for _, bytes_ in waiting) > _BYTES_AHEAD
                ):
                    yield from self._answers(waiting, len(waiting) - 1)
                waiting.append((header["limits"]["wall"] + _GRACE_SECONDS, size))
                try:
                    self._open().send(header, *blobs)
                except SandboxError as error:
                    yield from self._lost(waiting, error)
            yield from self._answers(waiting, 0)
        finally:
            if waiting:
                self.close()  # what is still under way would be taken for the answer to the next question

    def _answers(self, waiting: list[tuple[float, int]], left: int) -> Iterator[Message]:
        while len(waiting) > left:
            try:
                answer = self._open().receive(waiting[0][0], self._progress)
            except SandboxError as error:
                yield from self._lost(waiting, error)
                return
            del waiting[0]
            yield answer

    def _lost(self, waiting: list[tuple[float, int]], error: SandboxError) -> list[Message]:
        """Give up what waits; the next job starts a new sandbox."""
        lost = len(waiting)
        self.close()
        waiting.clear()
        return [Message({"broken": error.message}, [])] * lost

    def _compiled(self, program: Program) -> bytes | Run:
        """Return a C++ program's binary, or a run that says why there is none."""
        key = program.source, program.options
        kept = self._binaries.get(key)
        if kept is not None:
            self._binaries.move_to_end(key)
            return kept
        arguments = compiler_arguments(program.options)
        if arguments is None:
            return Run(Outcome(Ending.NO_COMPILER))
        job = _execute_job(arguments, ["program.cpp"], COMPILER_LIMITS, 64 << 20)
        job.update(keep=["program"], keep_limit=_BINARY_LIMIT, environment={"PATH": COMPILER_PLACES, "TMPDIR": "."})
        answer = self.ask(job, b"", program.source)
        run = run_of(answer, COMPILER_LIMITS)
        if run.outcome.ending is Ending.EXIT_STATUS:
            return replace(
                run, outcome=Outcome(Ending.COMPILE_ERROR, run.outcome.status, message=_first_line(run.stderr))
            )
        if not run.outcome.finished:
            return replace(run, outcome=replace(run.outcome, message=f"the compiler {run.outcome.sentence}"))
        binary = answer.blobs[3]
        if not binary:
            return replace(run, outcome=Outcome(Ending.COMPILE_ERROR, 0, message="the compiler made no program"))
        self._binaries[key] = binary
        if len(self._binaries) > _BINARIES:
            self._binaries.popitem(last=False)
        return binary

    def _fresh_job(self, limits: Limits) -> dict[str, Any]:
        arguments = [interpreter(), "-s", "-B", "-X", "utf8", "program.py"]
        job = _execute_job(arguments, ["program.py"], limits, 8 << 20)
        return {**job, "environment": {"PYTHONHASHSEED": "random" if self._seed is None else str(self._seed)}}


def _first_line(stderr: bytes) -> str:
    """Return the first error of a compiler, or else its first line."""
    lines = [line for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines or ["no word why"])[0][:500]


def _job(kind: str, limits: Limits, files: list[str], stack: int) -> dict[str, Any]:
    bounds = {
        "wall": limits.wall,
        "cpu": max(1, math.ceil(limits.cpu)),
        "memory": limits.memory,
        "file_size": limits.file_size,
        "folder": limits.folder,
        "tasks": limits.tasks,
        "forks": limits.forks,
        "output": limits.output,
        "result": limits.result,
        "stack": stack,
    }
    return {"kind": kind, "limits": bounds, "files": files, "keep": [], "keep_limit": 0}


def python_job(kind: str, limits: Limits) -> dict[str, Any]:
    return {**_job(kind, limits, ["program.py"], 8 << 20), "value_limit": limits.output}


def _execute_job(arguments: list[str], files: list[str], limits: Limits, stack: int) -> dict[str, Any]:
    return {**_job("execute", limits, files, stack), "arguments": arguments, "environment": {}}


def _binary_job(limits: Limits, environment: Mapping[str, str]) -> dict[str, Any]:
    return {**_execute_job(["./program"], ["program"], limits, 256 << 20), "environment": dict(environment)}


def run_of(answer: Message, limits: Limits, *, python: bool = False) -> Run:
    """Return a report as a run."""
    header, blobs = answer
    told = [message.header for message in told_by(blobs[2])] if len(blobs) > 2 else []
    stdout, stderr = (blobs[0], blobs[1]) if len(blobs) > 1 else (b"", b"")
    outcome = outcome_of(header, told, stderr, max(1, math.ceil(limits.cpu)), python)
    if "broken" in header:
        return Run(outcome)
    return Run(outcome, stdout, stderr, float(header["seconds"]), float(header["cpu"]), int(header["memory"]))


def run(program: Program, *, stdin: bytes = b"", limits: Limits = DEFAULT_LIMITS, unsafe: bool = False) -> Run:
    """Run one program in a sandbox of its own; raises RefusedError as Sandbox does."""
    with Sandbox(unsafe=unsafe) as sandbox:
        return sandbox.run(program, stdin=stdin, limits=limits)
