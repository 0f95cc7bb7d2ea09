"""Several sandboxes side by side that work through many small jobs: programs to run and expressions to evaluate."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from types import TracebackType
from typing import Literal, NamedTuple, TypeVar

from auditor.execution.evaluation import Evaluation
from auditor.execution.inside.framing import pack
from auditor.execution.outcome import Ending, Outcome
from auditor.execution.program import Language, Limits, Program, Run
from auditor.execution.protection import Protection
from auditor.execution.sandbox import Sandbox
from auditor.execution.wall import Wall

JOB_LIMITS = Limits(wall=40, cpu=10)
"""Time by the clock is a multiple of processor time: on a busy machine the latter has to decide."""
CALL_LIMITS = Limits(wall=20, cpu=4)
"""Of evaluations: a predicted call that never ends is common, and each costs all of this."""
_MOST_WORKERS = 8
_KEY_BYTES = 16
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_AGAIN = frozenset((Ending.SANDBOX_FAILED, Ending.NOT_STARTED))
"""Endings that say nothing of the job, which is tried once more, alone."""


@dataclass(frozen=True, slots=True)
class Job:
    """A program to run with an input, or an expression to evaluate in a Python module."""

    language: Language | Literal["cstar"]
    """C* programs are run by their interpreter, outside of sandboxes."""
    source: bytes
    stdin: bytes = b""
    expression: str | None = None
    seed: int = 0
    """That of Python's hashes; another one where it is to be seen whether the result depends on that, or on chance."""

    @property
    def key(self) -> bytes:
        """Return the hash of all that is run; the same for jobs that must come to the same."""
        header = {"language": self.language, "expression": self.expression}
        header |= {"seed": str(self.seed)} if self.seed else {}
        return hashlib.sha256(pack(header, self.source, self.stdin)).digest()[:_KEY_BYTES]


class Done(NamedTuple):
    """What came of a job."""

    outcome: Outcome
    output: bytes | None
    """Standard output, or the value as Python writes it; None where an evaluation came to no value."""
    type_name: str | None
    """Of the value."""
    exact: bool
    """The output is all that was written, or the whole value, made of builtin types throughout."""
    seconds: float


def _of_run(run: Run) -> Done:
    return Done(run.outcome, run.stdout, None, True, run.seconds)


def _of_evaluation(found: Evaluation) -> Done:
    text = None if found.text is None else found.text.encode(errors="surrogatepass")
    return Done(found.outcome, text, found.type_name, found.exact, found.seconds)


def worker_count() -> int:
    """Return how many sandboxes are worth having: one for each processor that this process may use, up to eight."""
    return max(1, min(_MOST_WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2))


class Workers:
    """Sandboxes that are kept warm over many batches; use it in a `with` statement."""

    def __init__(
        self, count: int | None = None, *, unsafe: bool = False, walls: Sequence[Wall] | None = None, hash_seed: int = 0
    ) -> None:
        """Take so many sandboxes, by default one for each processor, behind the first of all walls, or of `walls`.

        `hash_seed` is that of Python's hashes in all of them. Raises RefusedError as Sandbox does.
        """
        self._unsafe, self._walls = unsafe, walls
        self._sandboxes = [
            Sandbox(unsafe=unsafe, walls=walls, hash_seed=hash_seed) for _ in range(count or worker_count())
        ]
        self._free: SimpleQueue[Sandbox] = SimpleQueue()
        for sandbox in self._sandboxes:
            self._free.put(sandbox)
        self._pool = ThreadPoolExecutor(len(self._sandboxes), "sandbox")
        self._stopping = threading.Event()

    @property
    def protection(self) -> Protection:
        """What protects this machine from the programs."""
        return self._sandboxes[0].protection

    def under(self, hash_seed: int) -> Workers:
        """Return as many others, whose programs have another seed of Python's hashes."""
        return Workers(len(self._sandboxes), unsafe=self._unsafe, walls=self._walls, hash_seed=hash_seed)

    def __enter__(self) -> Workers:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End everything that runs."""
        self._stopping.set()
        for sandbox in self._sandboxes:
            sandbox.abandon()
        self._pool.shutdown(cancel_futures=True)
        for sandbox in self._sandboxes:
            sandbox.close()

    def run(self, batches: Iterable[Sequence[Job]]) -> Iterator[list[tuple[Job, Done]]]:
        """Yield the results of each batch, in the order of the batches; only some of them are taken ahead."""
        return self.each(batches, self._work)

    def each(self, items: Iterable[_Item], work: Callable[[Sandbox, _Item], _Result]) -> Iterator[_Result]:
        """Yield what work gives of each item, in their order, side by side with a sandbox each; few are taken ahead."""
        pending: deque[Future[_Result]] = deque()
        try:
            for item in items:
                pending.append(self._pool.submit(self._with_sandbox, work, item))
                if len(pending) > 2 * len(self._sandboxes):
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def _with_sandbox(self, work: Callable[[Sandbox, _Item], _Result], item: _Item) -> _Result:
        sandbox = self._free.get()
        try:
            return work(sandbox, item)
        finally:
            self._free.put(sandbox)

    def _work(self, sandbox: Sandbox, batch: Sequence[Job]) -> list[tuple[Job, Done]]:
        found = list(self._results(sandbox, batch))
        lost = [job for job, done in found if done.outcome.ending in _AGAIN]
        again = {job: done for one in lost for job, done in self._results(sandbox, [one])}
        return [(job, again.get(job, done)) for job, done in found]

    def _results(self, sandbox: Sandbox, batch: Sequence[Job]) -> Iterator[tuple[Job, Done]]:
        calls = [job for job in batch if job.expression is not None]
        python = [job for job in batch if job.expression is None and job.language == "python"]
        asked = ((job.source, job.expression or "", None) for job in self._until_stopped(calls))
        yield from zip(calls, map(_of_evaluation, sandbox.evaluate_many(asked, limits=CALL_LIMITS)), strict=False)
        given = ((job.source, job.stdin) for job in self._until_stopped(python))
        yield from zip(python, map(_of_run, sandbox.run_many(given, limits=JOB_LIMITS)), strict=False)
        for job in self._until_stopped([job for job in batch if job.language == "c++"]):
            run = sandbox.run(Program(job.source, "c++"), stdin=job.stdin, limits=JOB_LIMITS)
            yield job, _of_run(run)

    def _until_stopped(self, jobs: Sequence[Job]) -> Iterator[Job]:
        return (job for job in jobs if not self._stopping.is_set())
