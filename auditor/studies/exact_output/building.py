"""Build cases, one after the other or on any executor of `concurrent.futures`; each ends in a verdict."""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Generator, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import active_children, get_context

from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import TraceDamagedError
from auditor.studies.exact_output.case import INSIDE, POST, Case, NotAdmittedError, Point, Reason, Refusal, Verdict
from auditor.studies.exact_output.checking import HASH_SEEDS, Bench, States, check_order, check_states, clean_outputs
from auditor.studies.exact_output.cpp_subject import CppSubject
from auditor.studies.exact_output.python_subject import PythonSubject
from auditor.studies.exact_output.subject import Subject
from auditor.studies.exact_output.tasks import tasks_of
from auditor.text import visible_line


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How cases are built."""

    study: str = "exact-output"
    """The study of cases that do not say theirs."""
    unsafe: bool = False
    """Run the programs even where the system offers no wall around them."""
    seconds: float = 10.0
    """Time for one run of a program."""
    measure_seconds: float = 60.0
    """Time for one measurement, which takes many times as long."""


def open_bench(options: BuildOptions) -> Bench:
    """Open the sandboxes in which cases are built; raises RefusedError where programs cannot be contained."""
    boxes = [Sandbox(unsafe=options.unsafe, hash_seed=seed) for seed in (0, *HASH_SEEDS)]
    limits = Limits(wall=options.seconds, cpu=options.seconds)
    return Bench(boxes[0], tuple(boxes[1:]), limits, options.measure_seconds)


def build_case(case: Case, options: BuildOptions, bench: Bench) -> Verdict:
    """Build the four tasks of a case, or say why it is refused."""
    study = case.study or options.study
    try:
        return _build(case, study, bench)
    except RecursionError:
        reason = Reason.NOT_CPP if case.language == "cpp" else Reason.NOT_PYTHON
        refusal = Refusal(reason, "the program's blocks or branches are nested too deep to be instrumented.")
    except TraceDamagedError:
        refusal = Refusal(Reason.NOT_MEASURED, "the program wrote into its own trace.")
    return Verdict(study, case.name, refusal=refusal)


def _build(case: Case, study: str, bench: Bench) -> Verdict:
    try:
        subject = subject_of(case)
        outputs = clean_outputs(bench, subject)
        measures = check_order(bench, subject)
        found = subject.points(bench)
    except NotAdmittedError as error:
        return Verdict(study, case.name, refusal=error.refusal)
    states = _first_admitted(bench, subject, outputs, found)
    if isinstance(states, Refusal):
        return Verdict(study, case.name, refusal=states, point=found[0])
    try:
        for arm in (INSIDE, POST):
            measures[arm] = subject.measured(bench, states.sources[arm].source, case.long, arm)
    except NotAdmittedError as error:
        return Verdict(study, case.name, refusal=error.refusal, point=states.point)
    preserved = subject.branches_preserved(bench)
    return Verdict(study, case.name, tasks_of(subject, study, outputs, states, measures, preserved), point=states.point)


def subject_of(case: Case) -> Subject:
    """Take a case's program apart; raises NotAdmittedError where that cannot be done here."""
    if case.language == "python":
        return PythonSubject(case)
    if case.language == "cpp":
        return CppSubject(case)
    message = f"only Python and C++ programs are instrumented, and this one is {visible_line(case.language, 20)}."
    raise NotAdmittedError(Reason.LANGUAGE, message)


def _first_admitted(bench: Bench, subject: Subject, outputs: dict[str, str], found: list[Point]) -> States | Refusal:
    """Return the states of the first point that passes all checks, or the refusal of the best one."""
    refusals: list[Refusal] = []
    for point in found:
        try:
            return check_states(bench, subject, outputs, point)
        except NotAdmittedError as error:
            refusals.append(error.refusal)
    return refusals[0]


def build_all(
    cases: Iterable[Case], options: BuildOptions, executor: Executor | None = None
) -> Generator[Verdict, None, None]:
    """Yield the verdicts on cases as they are found: on an executor in any order, without one in theirs.

    Raises RefusedError where programs cannot be contained, and BrokenExecutor when a worker is lost. Whoever stops
    early ends the executor: what was handed to it goes on.
    """
    if executor is None:
        bench = open_bench(options)
        try:
            for case in cases:
                yield build_case(case, options, bench)
        finally:
            close_bench(bench)
        return
    futures: list[Future[Verdict]] = [executor.submit(build_in_worker, case, options) for case in cases]
    for future in as_completed(futures):
        yield future.result()


def close_bench(bench: Bench) -> None:
    """Close all sandboxes of a bench."""
    for box in (bench.sandbox, *bench.others):
        box.close()


@functools.lru_cache(maxsize=1)
def _bench_of_worker(options: BuildOptions, process: int) -> Bench:
    """Return the sandboxes that this process keeps; `process` is its number, since forked ones must not share them."""
    return open_bench(options)


def build_in_worker(case: Case, options: BuildOptions) -> Verdict:
    """Build a case in a worker process, which keeps its sandboxes for the next one."""
    return build_case(case, options, _bench_of_worker(options, os.getpid()))


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def local_processes(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of processes on this machine that leave Ctrl-C to whoever made them."""
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts_to_the_parent)


def end_processes(pool: ProcessPoolExecutor) -> None:
    """End a pool of `local_processes`, also in the middle of cases."""
    own = set(pool._processes or ())
    for process in active_children():
        if process.pid in own:
            process.terminate()
    # Without cancelling what waits: in Python 3.11 the pool's thread fails over cancelled work of ended processes.
    pool.shutdown()
