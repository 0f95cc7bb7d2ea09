"""What a run of a C* program comes to, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auditor.cli.output import print_table, print_text, say

if TYPE_CHECKING:
    from auditor.studies.prex.cstar.machine import Execution, Step

_FIRST = "These are the first {} of {} steps; --limit lists more."


def print_execution(execution: Execution) -> None:
    """Print how a run ended, its verdict and the final state."""
    print_text(execution.sentence)
    if execution.verdict is not None:
        print_text(f"Verdict: {execution.verdict}.")
    if execution.state:
        print_table(("variable", "value"), [(name, str(value)) for name, value in execution.state.items()])
    else:
        print_text("There are no variables.")


def print_trace(steps: Sequence[Step], execution: Execution, rest: str = _FIRST) -> None:
    """Print a table of the first steps of a run, and on the standard error how many there are in all.

    `rest` says so, with both numbers in it.
    """
    from auditor.studies.prex.cstar.rules import rule

    rows = [
        (
            step.number,
            step.rule,
            f"{step.place.line}:{step.place.column}",
            rule(execution.formalism, step.rule).name,
            _rules_around(step),
            "" if step.change is None else f"{step.change.name}={step.change.new}",
        )
        for step in steps
    ]
    print_table(("step", "rule", "place", "name", "under the rules", "changes"), rows)
    if len(steps) < execution.steps:
        say(rest.format(f"{len(steps):,}", f"{execution.steps:,}"))
    print_text("")


def _rules_around(step: Step) -> str:
    """Return the numbers of the rules that lead to the step; only the first and the last of very many."""
    numbers = [str(number) for number in step.through]
    return " ".join(numbers if len(numbers) <= 12 else (*numbers[:6], "…", *numbers[-5:]))


def execution_json(execution: Execution) -> dict[str, Any]:
    """Return an execution as JSON; values are exact."""
    return {
        "formalism": execution.formalism.value,
        "ending": execution.ending.value,
        "verdict": execution.verdict,
        "rule": None if execution.rule is None else f"Rule {execution.rule}",
        "steps": execution.steps,
        "state": dict(execution.state),
        "place": execution.place._asdict() if execution.place else None,
        "sentence": execution.sentence,
    }


def step_json(step: Step) -> dict[str, Any]:
    """Return a step as JSON."""
    return {
        "step": step.number,
        "rule": step.rule,
        "through": list(step.through),
        "place": step.place._asdict(),
        "change": step.change._asdict() if step.change else None,
    }
