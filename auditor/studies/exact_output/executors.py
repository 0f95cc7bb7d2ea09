"""Where cases are built side by side: processes on this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context, parent_process
from typing import TYPE_CHECKING, Any, NamedTuple

import auditor
from auditor.errors import AuditorError, InputError, PartlyDoneError
from auditor.execution.engines import engine_of
from auditor.studies.exact_output.building import close_benches_of_process
from auditor.text import visible_line

if TYPE_CHECKING:
    from distributed import Client

_LOOK_SECONDS = 1.0
"""Between two looks whether a cluster still has workers."""
_LOOKS = 5
"""Looks without a worker, after which none is waited for any more."""


class WorkersLostError(PartlyDoneError):
    """Whoever builds cases is gone; what came back before is whole."""


class About(NamedTuple):
    """What has to be the same wherever cases of one build are built."""

    auditor: str
    python: str
    cpp: str
    """The compiler of C++."""


def about_here() -> About:
    """Return the versions of this process."""
    return About(auditor.__version__, ".".join(map(str, sys.version_info[:3])), engine_of("c++"))


def _follow_the_parent() -> None:
    """Leave interrupts to the parent process, and end with it: one that was killed cannot end its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = parent_process()
    assert parent is not None  # only worker processes call this
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def local_processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Offer processes on this machine that leave Ctrl-C to whoever made them; they end in the middle of cases too.

    Raises WorkersLostError when one of them is ended from outside.
    """
    spawn = get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=spawn, initializer=_follow_the_parent)
    try:
        yield pool
    except BrokenExecutor as error:
        raise WorkersLostError("a process that builds cases was ended from outside.", "Try --workers 1.") from error
    finally:
        own = set(pool._processes or ())
        for process in active_children():
            if process.pid in own:
                process.terminate()
        # Without cancelling what waits: in Python 3.11 the pool's thread fails over cancelled work of ended processes.
        pool.shutdown()


@contextmanager
def cluster(address: str, connect_seconds: float = 10.0) -> Iterator[Executor]:
    """Offer the workers of the Dask cluster whose scheduler has this address.

    Raises InputError when there is none, or its workers are not fit for it; WorkersLostError when it goes away.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        hint = "Install it with: pip install 'auditor[cluster]'"
        raise InputError("a cluster needs the package distributed, which is not installed.", hint=hint) from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is said once, in a sentence
    where = visible_line(address, 100)
    try:
        client = Client(address, timeout=connect_seconds, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        hint = "Give it as the scheduler prints it, for example tcp://127.0.0.1:8786."
        raise InputError(f"no Dask scheduler answers at {where}.", hint=hint) from error
    try:
        _check_workers(client, where)
        executor = client.get_executor()
        with _watch(client, executor):
            yield executor
    except CancelledError as error:
        lost = "none of its workers is left" if client.status == "running" else "it is gone"
        raise WorkersLostError(f"the Dask scheduler at {where} does not go on: {lost}.") from error
    except KilledWorker as error:
        raise WorkersLostError("several workers of the cluster ended while they built one case.") from error
    finally:
        if client.status == "running":
            with suppress(Exception):  # nothing here may hide why it ends
                client.run(close_benches_of_process, on_error="ignore")
        client.close(timeout=2)


def _check_workers(client: Client, where: str) -> None:
    """Refuse a cluster without workers, or with some whose cases would come out otherwise."""
    try:
        found: dict[str, Any] = client.run(about_here)
    except AuditorError:
        raise
    except Exception as error:  # whatever a foreign worker raises when it is asked for something it lacks
        what = visible_line(f"{type(error).__name__}: {error}", 200)
        raise InputError(
            f"the workers of {where} cannot build cases ({what}).", hint="Install auditor there."
        ) from error
    if not found:
        raise InputError(f"the Dask scheduler at {where} has no workers.", hint="Start some: dask worker ADDRESS")
    here = about_here()
    for worker, about in sorted(found.items()):
        if tuple(about) != here:
            there, ours = (f"auditor {one[0]} on Python {one[1]} with {one[2]}" for one in (about, here))
            raise InputError(
                f"the worker {visible_line(worker, 60)} has {visible_line(there, 200)}, and here it is {ours}.",
                hint="Cases of one build must be built by the same versions.",
            )


@contextmanager
def _watch(client: Client, executor: Executor) -> Iterator[None]:
    """Cancel what waits once a cluster has had no worker for a while: it would wait for ever."""
    ended = threading.Event()

    def look() -> None:
        missed = 0
        while not ended.wait(_LOOK_SECONDS):
            missed = 0 if client.scheduler_info()["workers"] else missed + 1
            if missed == _LOOKS:
                executor.shutdown(wait=False)
                return

    thread = threading.Thread(target=look, name="cluster", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
