"""The tasks of a problem: one for the output of each implementation with each test, and one for each probe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from auditor.model import Checkpoint, JsonValue, Scalar, Study, Task
from auditor.studies.core.admission import Admitted, Thresholds
from auditor.studies.core.probe_choice import Proposed
from auditor.studies.core.probe_moments import AT_EXIT, AT_ITERATION, AT_VISIT
from auditor.studies.core.probes import Probe
from auditor.studies.core.problem import Implementation, Test
from auditor.studies.exact_output.static_measures import code_lines, nesting

OUTPUT, PROBE = "output", "probe"
"""The arms; that of a probe goes on with `/` and its name."""


def study_named(name: str) -> Study:
    """Return the study of outputs, graded as Python literals, and of probes, graded under their answer types."""
    return Study(name, "python-literal", "answer-tags", "problem", "execution")


def output_tasks(admitted: Admitted, tests: Sequence[Test], study: str, thresholds: Thresholds) -> Iterator[Task]:
    """Yield the tasks that ask for an output, in the order of implementations and tests."""
    similar = admitted.similar(thresholds)
    for one in admitted.problem.implementations:
        for test in tests:
            yield _task(admitted, one, test, study, one.name in similar)


def probe_tasks(admitted: Admitted, probes: Sequence[Proposed], study: str, thresholds: Thresholds) -> Iterator[Task]:
    """Yield the tasks of a problem's probes, `probe/p1` and so on in their order."""
    similar = admitted.similar(thresholds)
    implementations = {one.name: one for one in admitted.problem.implementations}
    tests = {test.name: test for test in admitted.problem.tests}
    for number, (name, test, probe) in enumerate(probes, 1):
        task = _task(admitted, implementations[name], tests[test], study, name in similar)
        told: dict[str, JsonValue] = {
            "kind": probe.kind,
            "line": probe.line,
            "n": probe.n,
            "variable": probe.variable,
            "step": probe.step,
            "depth": probe.depth,
        }
        yield replace(
            task,
            arm=f"{PROBE}/p{number}",
            target="probe",
            oracle=probe.answer.value,
            question=probe.question,
            answer_type=probe.answer.answer_type,
            dimensions=probe.dimensions,
            checkpoint=_checkpoint(probe),
            measures={**task.measures, "depth": float(probe.depth)},
            facets={**task.facets, "probe_kind": probe.kind},
            extra={**task.extra, "probe": told},
        )


def _checkpoint(probe: Probe) -> Checkpoint | None:
    """Return where a variable is asked for, as a checkpoint; None where there is no such moment."""
    when = {AT_VISIT: "after-line", AT_ITERATION: "before-iteration", AT_EXIT: "after-loop"}.get(probe.kind)
    if when is None or probe.variable is None or (probe.kind == AT_EXIT and probe.n != 1):
        return None
    return Checkpoint(probe.line, when, None if probe.kind == AT_EXIT else probe.n, (probe.variable,))


def _task(admitted: Admitted, one: Implementation, test: Test, study: str, similar: bool) -> Task:
    problem = admitted.problem
    facets: dict[str, Scalar] = {"style": one.style, "similar": similar, "loc": code_lines(one.source)}
    measures = {"cyclomatic": float(admitted.cyclomatic[one.name]), "nesting": float(nesting(one.source))}
    return Task(
        study,
        case_of(problem.name, one.name, test.name),
        OUTPUT,
        "python",
        one.source,
        test.arguments,
        "output",
        admitted.outputs[one.name][test.name],
        problem=problem.name,
        implementation=one.name,
        test=test.name,
        measures=measures,
        facets={**problem.facets, **facets},
        extra={"entry_point": problem.entry_point},
    )


def case_of(problem: str, implementation: str, test: str) -> str:
    """Return the case of an implementation with a test."""
    return f"{problem}/{implementation}/{test}"
