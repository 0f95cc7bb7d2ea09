"""Which implementations of a problem are admitted: alike in what they do, unlike in how they are written."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.execution.evaluation import Evaluation
from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from auditor.grading.literals import NotLiteralError, read_literal, same_literal
from auditor.studies.core.problem import Implementation, Pair, Problem, Reason, Refusal, Test
from auditor.studies.core.tokens import similarities
from auditor.studies.exact_output.static_measures import cyclomatic
from auditor.text import visible_line

Outputs = dict[str, str]
"""By the test's name what the call gives, as Python writes it."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What an implementation must reach (CoRE, equation 3 and appendix A.3)."""

    cyclomatic: int = 3
    similar: float = 0.7
    """Above it a pair goes to experts."""
    too_similar: float = 0.9
    """Above it the later one of a pair is refused."""


DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class Admitted:
    """The implementations of a problem that do the same, and what they do."""

    problem: Problem
    """With the admitted implementations only."""
    outputs: dict[str, Outputs]
    """By implementation."""
    cyclomatic: dict[str, int]
    pairs: tuple[Pair, ...]
    """All pairs of admitted implementations."""
    refusals: tuple[Refusal, ...]

    def for_experts(self, thresholds: Thresholds) -> list[Pair]:
        """Return the pairs that experts have to look at."""
        return [pair for pair in self.pairs if pair.jaccard > thresholds.similar]

    def similar(self, thresholds: Thresholds) -> frozenset[str]:
        """Return the implementations of those pairs."""
        return frozenset(name for pair in self.for_experts(thresholds) for name in (pair.first, pair.second))


class NotAdmittedError(Exception):
    """An implementation fails a check."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def admit(problem: Problem, boxes: Sequence[Sandbox], limits: Limits, thresholds: Thresholds) -> Admitted:
    """Check all implementations of a problem; those that fail are among the refusals, each with its first reason.

    `boxes` differ in the seed of Python's hashes: what a test gives must be the same in all of them.
    """
    refusals: list[Refusal] = []
    outputs: dict[str, Outputs] = {}
    complexity: dict[str, int] = {}
    kept: list[Implementation] = []
    for one in problem.implementations:
        try:
            complexity[one.name] = _check_source(problem, one, thresholds.cyclomatic)
            outputs[one.name] = _outputs(problem, one, boxes, limits)
        except NotAdmittedError as error:
            refusals.append(Refusal(problem.name, one.name, error.reason, error.detail))
        else:
            kept.append(one)
    kept = [one for one in kept if not _disagrees(problem, one, outputs, refusals)]
    kept, pairs = _unlike(problem, kept, thresholds, refusals)
    return Admitted(replace(problem, implementations=tuple(kept)), outputs, complexity, pairs, tuple(refusals))


def _check_source(problem: Problem, one: Implementation, least: int) -> int:
    """Return the cyclomatic complexity of an implementation."""
    if "\r" in one.source.replace("\r\n", "\n"):
        raise NotAdmittedError(Reason.NOT_PYTHON, "its lines end in carriage returns alone, which nothing here counts.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree, complexity = ast.parse(one.source), cyclomatic(one.source)
            similarities((one,))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            words = visible_line(getattr(error, "msg", None) or str(error), 100)
            raise NotAdmittedError(Reason.NOT_PYTHON, f"the source is no Python: {words}.") from error
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    if problem.entry_point not in defined:
        raise NotAdmittedError(Reason.NO_ENTRY_POINT, f"it defines no function {problem.entry_point}.")
    if complexity < least:
        raise NotAdmittedError(Reason.TOO_SIMPLE, f"its cyclomatic complexity is {complexity}, below {least}.")
    return complexity


def _outputs(problem: Problem, one: Implementation, boxes: Sequence[Sandbox], limits: Limits) -> Outputs:
    """Run all tests in every sandbox and return what they give."""
    jobs = [(one.source.encode(), problem.call(test), None) for test in problem.tests]
    found: Outputs = {}
    for box in boxes:
        for test, evaluation in zip(problem.tests, box.evaluate_many(jobs, limits=limits), strict=True):
            text = _text(test, evaluation)
            if not _same(found.setdefault(test.name, text), text):
                gives = f"it gives {_shown(found[test.name])} in one run, {_shown(text)} in another"
                raise NotAdmittedError(Reason.NOT_DETERMINISTIC, f"with test {_name(test)} {gives}.")
    return found


def _text(test: Test, evaluation: Evaluation) -> str:
    if evaluation.text is None:
        words = evaluation.outcome.sentence if not evaluation.outcome.finished else "gave no value"
        raise NotAdmittedError(Reason.RUN_FAILED, f"with test {_name(test)} it {visible_line(words, 200)}.")
    if evaluation.builtin and not evaluation.exact:
        raise NotAdmittedError(Reason.NOT_LITERAL, f"with test {_name(test)} it gives a value that is too large.")
    try:
        read_literal(evaluation.text)
    except NotLiteralError as error:
        detail = f"with test {_name(test)} it gives what is no Python literal: {_shown(evaluation.text)}."
        raise NotAdmittedError(Reason.NOT_LITERAL, detail) from error
    if not evaluation.exact:
        raise NotAdmittedError(Reason.NOT_LITERAL, f"with test {_name(test)} it gives a value that is too large.")
    return evaluation.text


def _name(test: Test) -> str:
    return visible_line(test.name, 40)


def _shown(text: str) -> str:
    return visible_line(text, 60)


def _same(one: str, other: str) -> bool:
    """Say whether two outputs are equal literals of the same types throughout."""
    if one == other:
        return True
    try:
        return same_literal(read_literal(one), read_literal(other))
    except (NotLiteralError, RecursionError):
        return False


def expected_output(test: Test, outputs: Sequence[Outputs]) -> str:
    """Return what a test must give: what its line says, else what most implementations give, the first of equals."""
    if test.output is not None:
        return test.output
    given = [output[test.name] for output in outputs]
    return given[_votes(given).most_common(1)[0][0]]


def _votes(given: Sequence[str]) -> Counter[int]:
    """Count for each output, by its place, how many are the same."""
    return Counter({place: sum(_same(one, other) for other in given) for place, one in enumerate(given)})


def _rival(test: Test, given: Sequence[str], own: str) -> str | None:
    """Return an output that as many implementations give as the most frequent one, other than an implementation's own.

    Where there is one, and the test does not say what is right, no output is that of most implementations.
    """
    if test.output is not None:
        return None
    votes = _votes(given)
    first = [given[place] for place, count in votes.items() if count == max(votes.values())]
    if all(_same(first[0], other) for other in first):
        return None
    return next(other for other in first if not _same(own, other))


def _disagrees(problem: Problem, one: Implementation, outputs: dict[str, Outputs], refusals: list[Refusal]) -> bool:
    for test in problem.tests:
        expected, given = expected_output(test, list(outputs.values())), outputs[one.name][test.name]
        rival = _rival(test, [output[test.name] for output in outputs.values()], given)
        if rival is not None:
            detail = (
                f"with test {_name(test)} it gives {_shown(given)}, and others {_shown(rival)}; no output is that of"
            )
            told = f"{detail} most, and the test says none."
            refusals.append(Refusal(problem.name, one.name, Reason.DISAGREES, told))
            return True
        if not _same(expected, given):
            whom = "the test says" if test.output is not None else "most implementations give"
            detail = f"with test {_name(test)} it gives {_shown(given)}, and {whom} {_shown(expected)}."
            refusals.append(Refusal(problem.name, one.name, Reason.DISAGREES, detail))
            return True
    return False


def _unlike(
    problem: Problem, kept: list[Implementation], thresholds: Thresholds, refusals: list[Refusal]
) -> tuple[list[Implementation], tuple[Pair, ...]]:
    """Leave out what is too similar to an earlier implementation; return what is left and its pairs."""
    pairs = similarities(tuple(kept))
    left: list[Implementation] = []
    for one in kept:
        twins = [pair for pair in pairs if pair.second == one.name and pair.jaccard > thresholds.too_similar]
        twins = [pair for pair in twins if any(other.name == pair.first for other in left)]
        if twins:
            first = max(twins, key=lambda pair: pair.jaccard)
            alike = f"its tokens are those of {visible_line(first.first, 60)} to {first.jaccard:.2f} (Jaccard)"
            detail = f"{alike}, above {thresholds.too_similar}."
            refusals.append(Refusal(problem.name, one.name, Reason.TOO_SIMILAR, detail))
        else:
            left.append(one)
    names = {one.name for one in left}
    return left, tuple(pair for pair in pairs if pair.first in names and pair.second in names)
