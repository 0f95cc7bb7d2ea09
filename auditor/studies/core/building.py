"""Build problems, one after the other or on an executor of `concurrent.futures`: admission, tests, probes, tasks."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import dataclass, replace
from statistics import fmean

from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from auditor.studies.core.admission import DEFAULT_THRESHOLDS, Admitted, Thresholds, admit
from auditor.studies.core.built import Built, Sizes
from auditor.studies.core.covering import NotMeasuredError, Reached, coverage_folder, reached_by_all
from auditor.studies.core.probe_choice import Proposed
from auditor.studies.core.probe_choice import chosen as choose_probes
from auditor.studies.core.probes import asked, propose
from auditor.studies.core.problem import Problem, Reason, Refusal, Test
from auditor.studies.core.prompts import Prompting, with_prompt
from auditor.studies.core.subset import Subset, minimal_subset
from auditor.studies.core.tasks import output_tasks, probe_tasks
from auditor.text import visible_line

HASH_SEEDS = (0, 1)
"""Of Python's hashes: what a test gives must not depend on them."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How problems are built."""

    study: str = "core"
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    probes: int = 5
    """Probes of a problem at most."""
    at_least: int = 0
    """Tests to keep also where fewer reach as much: those with the longest arguments are added."""
    all_tests: bool = False
    """Keep all tests, in place of the smallest set that covers as much."""
    whole_prompt: Prompting | None = None
    """Which prompt every task holds; None: none."""
    seconds: float = 5.0
    """Time for one call."""
    unsafe: bool = False
    """Run the programs even where the system offers no wall around them."""


@dataclass(frozen=True, slots=True)
class Bench:
    """The sandboxes in which problems are built, one for each seed of Python's hashes."""

    boxes: tuple[Sandbox, ...]
    coverage: str
    """The folder of coverage.py, which they can read."""

    def close(self) -> None:
        """End them."""
        for box in self.boxes:
            box.close()


def open_bench(options: BuildOptions) -> Bench:
    """Open the sandboxes; raises RefusedError where programs cannot be contained, InputError without coverage.py."""
    folder = coverage_folder()
    boxes = tuple(Sandbox(unsafe=options.unsafe, hash_seed=seed, readable=(folder,)) for seed in HASH_SEEDS)
    return Bench(boxes, folder)


def build_problem(problem: Problem, options: BuildOptions, bench: Bench) -> Built:
    """Build the tasks of a problem; what is refused of it is in the result, with the reason."""
    limits = Limits(wall=2 * options.seconds, cpu=options.seconds)
    admitted = admit(problem, bench.boxes, limits, options.thresholds)
    refusals = list(admitted.refusals)
    reached = _reached(admitted, bench, refusals)
    kept = list(reached)
    admitted = _only(admitted, kept)
    if len(kept) < 2 or not problem.tests:
        passing = f"{len(kept)} of its implementations {'pass' if len(kept) != 1 else 'passes'}"
        what = f"{passing}; two are needed to compare" if problem.tests else "it has no usable tests"
        refusals.append(Refusal(problem.name, None, Reason.TOO_FEW, f"{what}."))
        return Built(problem.name, refusals=tuple(refusals))
    subset = minimal_subset([covered_by(reached, place) for place in range(len(problem.tests))])
    places = _kept(subset, problem.tests, options)
    chosen = [problem.tests[place] for place in places]
    written = _written(admitted, bench, refusals)
    probes = _probes(admitted, chosen, options.probes, bench, written)
    tasks = [
        *output_tasks(admitted, chosen, options.study, options.thresholds),
        *probe_tasks(admitted, probes, options.study, options.thresholds),
    ]
    if options.whole_prompt is not None:
        tasks = [with_prompt(task, options.whole_prompt) for task in tasks]
    sizes = _sizes(admitted, reached, subset, len(chosen), probes)
    return Built(problem.name, tuple(tasks), tuple(refusals), tuple(admitted.for_experts(options.thresholds)), sizes)


def _reached(admitted: Admitted, bench: Bench, refusals: list[Refusal]) -> dict[str, list[Reached]]:
    """Return by implementation what each test reaches; those where that is not known are put among the refusals."""
    problem = admitted.problem
    sources = {one.name: one.source for one in problem.implementations}
    calls = [problem.call(test) for test in problem.tests]
    found = reached_by_all(bench.boxes[0], sources, calls, bench.coverage) if sources and calls else {}
    reached: dict[str, list[Reached]] = {}
    for name, of_one in found.items():
        if isinstance(of_one, NotMeasuredError):
            refusals.append(Refusal(problem.name, name, Reason.NOT_MEASURED, f"{of_one}."))
        else:
            reached[name] = of_one
    return reached


def _written(admitted: Admitted, bench: Bench, refusals: list[Refusal]) -> list[Proposed]:
    """Return the probes that somebody wrote, with their answers; those without one are put among the refusals."""
    problem = admitted.problem
    sources = {one.name: one.source for one in problem.implementations}
    tests = {test.name: test for test in problem.tests}
    found: list[Proposed] = []
    for name, test, wanted, question, dimensions in problem.probes:
        place = f"the probe about line {wanted.line} ({wanted.kind})"
        if name not in sources or test not in tests:
            missing = "implementation" if name not in sources else f"test {visible_line(test, 40)}"
            detail = f"{place} is about a case that is not there: no such {missing} is admitted."
            refusals.append(Refusal(problem.name, name, Reason.NO_ANSWER, detail))
            continue
        probe = asked(bench.boxes, sources[name], problem.call(tests[test]), wanted)
        if probe is None:
            detail = f"{place} has no answer in the run of test {visible_line(test, 40)}."
            refusals.append(Refusal(problem.name, name, Reason.NO_ANSWER, detail))
            continue
        own = replace(probe, question=question or probe.question, dimensions=dimensions or probe.dimensions)
        found.append(Proposed(name, test, own))
    return found


def _probes(
    admitted: Admitted, tests: Sequence[Test], count: int, bench: Bench, written: Sequence[Proposed]
) -> list[Proposed]:
    """Propose probes of every implementation with every test that is kept, and choose beside those that are written."""
    problem = admitted.problem
    proposed = [
        Proposed(one.name, test.name, probe)
        for one in problem.implementations
        for test in (tests if count > len(written) else ())
        for probe in propose(bench.boxes, one.source, problem.call(test))
    ]
    return choose_probes(proposed, count, written)


def _only(admitted: Admitted, names: Sequence[str]) -> Admitted:
    """Leave out the other implementations."""
    left = tuple(one for one in admitted.problem.implementations if one.name in names)
    pairs = tuple(pair for pair in admitted.pairs if pair.first in names and pair.second in names)
    return replace(admitted, problem=replace(admitted.problem, implementations=left), pairs=pairs)


def _kept(subset: Subset, tests: Sequence[Test], options: BuildOptions) -> list[int]:
    """Return the tests that are kept: those that cover all, and of the others as many of the longest as are asked."""
    further = [place for place in range(len(tests)) if place not in subset.chosen]
    further.sort(key=lambda place: -len(tests[place].arguments))
    more = len(tests) if options.all_tests else max(0, options.at_least - len(subset.chosen))
    return sorted((*subset.chosen, *further[:more]))


def covered_by(reached: dict[str, list[Reached]], place: int) -> set[tuple[str, int | tuple[int, int]]]:
    """Return what a test covers: lines and branches of every implementation."""
    found: set[tuple[str, int | tuple[int, int]]] = set()
    for name, by_test in reached.items():
        found |= {(name, line) for line in by_test[place].lines}
        found |= {(name, branch) for branch in by_test[place].branches}
    return found


def _sizes(
    admitted: Admitted, reached: dict[str, list[Reached]], subset: Subset, kept: int, probes: Sequence[Proposed]
) -> Sizes:
    implementations = admitted.problem.implementations
    lines = sum(len(frozenset().union(*(one.lines for one in by))) for by in reached.values())
    branches = sum(len(frozenset().union(*(one.branches for one in by))) for by in reached.values())
    return Sizes(
        implementations=len(implementations),
        tests=len(admitted.problem.tests),
        least=len(subset.chosen),
        chosen=kept,
        exact=subset.exact,
        lines=lines,
        all_lines=sum(by[0].all_lines for by in reached.values()),
        branches=branches,
        all_branches=sum(by[0].all_branches for by in reached.values()),
        jaccard=fmean(pair.jaccard for pair in admitted.pairs) if admitted.pairs else None,
        cyclomatic=fmean(admitted.cyclomatic[one.name] for one in implementations),
        styles=dict(sorted(Counter(one.style for one in implementations).items())),
        probes=len(probes),
        dimensions=dict(sorted(Counter(name for one in probes for name in one.probe.dimensions).items())),
    )


def build_all(
    problems: Iterable[Problem], options: BuildOptions, executor: Executor | None = None
) -> Generator[Built, None, None]:
    """Yield problems as they are built: on an executor in any order, without one in theirs.

    Raises as `open_bench` does, and what the executor raises for problems whose workers are lost, after all others.
    """
    if executor is None:
        bench = open_bench(options)
        try:
            for problem in problems:
                yield build_problem(problem, options, bench)
        finally:
            bench.close()
        return
    futures: list[Future[Built]] = [executor.submit(build_in_worker, problem, options) for problem in problems]
    lost: Exception | None = None
    for future in as_completed(futures):
        try:
            built = future.result()
        except Exception as error:  # whatever takes a worker away must not take what others have finished
            lost = lost or error
        else:
            yield built
    if lost is not None:
        raise lost


_benches: dict[tuple[int, int, BuildOptions], Bench] = {}
"""Sandboxes that workers keep: by process, since forked ones must not share them, and by thread."""


def build_in_worker(problem: Problem, options: BuildOptions) -> Built:
    """Build a problem in a worker, which keeps its sandboxes for the next one."""
    key = os.getpid(), threading.get_ident(), options
    if key not in _benches:
        _benches[key] = open_bench(options)
    return build_problem(problem, options, _benches[key])
