"""Build cases, one after the other or on any executor of `concurrent.futures`; each ends in a verdict."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterable
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass

from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from auditor.execution.trace import TraceDamagedError
from auditor.studies.exact_output.case import INSIDE, POST, Case, NotAdmittedError, Point, Reason, Refusal, Verdict
from auditor.studies.exact_output.checking import HASH_SEEDS, Bench, States, check_order, check_states, clean_outputs
from auditor.studies.exact_output.choosing import choose_inputs
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
    longest_trace: int = 1_000_000
    """Opcodes beyond which an input is not chosen, where several are offered."""


def open_bench(options: BuildOptions) -> Bench:
    """Open the sandboxes in which cases are built; raises RefusedError where programs cannot be contained."""
    boxes = [Sandbox(unsafe=options.unsafe, hash_seed=seed) for seed in (0, *HASH_SEEDS)]
    limits = Limits(wall=options.seconds, cpu=options.seconds)
    return Bench(boxes[0], tuple(boxes[1:]), limits, options.measure_seconds)


def build_case(case: Case, options: BuildOptions, bench: Bench) -> Verdict:
    """Build the four tasks of a case, or say why it is refused."""
    study = case.study or options.study
    try:
        return _build(case, study, bench, options.longest_trace)
    except RecursionError:
        reason = Reason.NOT_CPP if case.language == "cpp" else Reason.NOT_PYTHON
        refusal = Refusal(reason, "the program's blocks or branches are nested too deep to be instrumented.")
    except TraceDamagedError:
        refusal = Refusal(Reason.NOT_MEASURED, "the program wrote into its own trace.")
    return Verdict(study, case.name, refusal=refusal)


def _build(case: Case, study: str, bench: Bench, longest_trace: int) -> Verdict:
    try:
        subject = subject_of(case)
        if case.offer is not None:
            case = choose_inputs(bench, subject, case.offer, longest_trace)
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

    Raises RefusedError where programs cannot be contained, and what the executor raises for cases whose workers are
    lost, after all others. Whoever stops early ends the executor: what was handed to it goes on.
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
    lost: Exception | None = None
    for future in as_completed(futures):
        try:
            verdict = future.result()
        except Exception as error:  # whatever takes a worker away must not take what others have finished
            lost = lost or error
        else:
            yield verdict
    if lost is not None:
        raise lost


def close_bench(bench: Bench) -> None:
    """Close all sandboxes of a bench."""
    for box in (bench.sandbox, *bench.others):
        box.close()


_benches: dict[tuple[int, int, BuildOptions], Bench] = {}
"""Benches that workers keep from case to case: by process, since forked ones must not share them, and by thread."""


def bench_of_worker(options: BuildOptions) -> Bench:
    """Return the sandboxes of this thread of this process, which are kept until they are closed or it ends."""
    key = os.getpid(), threading.get_ident(), options
    if key not in _benches:
        _benches[key] = open_bench(options)
    return _benches[key]


def close_benches_of_process() -> None:
    """End the sandboxes that threads of this process keep, also those at work: what they build is not wanted."""
    for key in [key for key in _benches if key[0] == os.getpid()]:
        bench = _benches.pop(key)
        for box in (bench.sandbox, *bench.others):
            box.abandon()


def build_in_worker(case: Case, options: BuildOptions) -> Verdict:
    """Build a case in a worker, which keeps its sandboxes for the next one."""
    return build_case(case, options, bench_of_worker(options))
