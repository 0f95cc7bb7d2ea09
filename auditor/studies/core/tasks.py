"""The tasks of a problem: one for the output of each implementation with each test, and one for each probe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditor.model import Scalar, Study, Task
from auditor.studies.core.admission import Admitted, Thresholds
from auditor.studies.core.problem import Implementation, Test
from auditor.studies.exact_output.static_measures import code_lines, nesting

OUTPUT, PROBE = "output", "probe"
"""The arms; that of a probe goes on with `/` and its name."""


def study_named(name: str) -> Study:
    """Return the study of outputs, graded as Python literals, and of probes, graded under their answer types."""
    return Study(name, "python-literal", "answer-tags", "problem", "execution")


def output_tasks(admitted: Admitted, tests: Sequence[Test], study: str, thresholds: Thresholds) -> Iterator[Task]:
    """Yield the tasks that ask for an output, in the order of implementations and tests."""
    similar = {name for pair in admitted.for_experts(thresholds) for name in (pair.first, pair.second)}
    for one in admitted.problem.implementations:
        for test in tests:
            yield _task(admitted, one, test, study, one.name in similar)


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
