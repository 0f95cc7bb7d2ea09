"""Where a build runs, and how it stops in order: interrupted or without its workers, with what is finished kept."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor
    from types import TracebackType

EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Where:
    """Where cases are built."""

    workers: int | None = None
    """Processes on this machine; None: as many as it has processors."""
    scheduler: str | None = None
    """The address of a Dask scheduler, whose workers build in place of processes here."""

    @contextmanager
    def executor(self, jobs: int) -> Iterator[Executor | None]:
        """Offer whoever builds so many cases; None where this process does best by itself.

        Raises as `local_processes` and `cluster` do.
        """
        import os

        from auditor.studies.exact_output.executors import cluster, local_processes

        workers = min(self.workers or os.cpu_count() or 1, jobs)
        if self.scheduler is not None and jobs:
            with cluster(self.scheduler) as executor:
                yield executor
        elif workers > 1:
            with local_processes(workers) as pool:
                yield pool
        else:
            yield None


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a build ended before all cases were built."""

    sentence: str
    exit_code: int


class Stopping:
    """Ends what stands inside at an interruption, or when workers are lost, and remembers why.

    It may stand twice in one `with`: before the executor, whose start and end can be interrupted too, and behind it, so
    that further interruptions are ignored already while the executor ends.
    """

    def __init__(self) -> None:
        self.why: Stopped | None = None
        """None: nothing stopped it."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        """Say whether the error is one that stops in order; after an interruption further ones are ignored."""
        from auditor.studies.exact_output.executors import WorkersLostError

        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough: what is finished is about to be written
            self.why = Stopped("interrupted", EXIT_INTERRUPTED)
            return True
        if isinstance(error, WorkersLostError):
            self.why = Stopped(str(error), error.exit_code)
            return True
        return False


@contextmanager
def interrupts_restored() -> Iterator[None]:
    """Heed interruptions afterwards as before, whatever `Stopping` made of them."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
