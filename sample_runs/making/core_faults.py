"""The planted faults of the sample run `core`: which replies they strike, and what an answer becomes."""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from auditor.grading.policies import PROBE, PYTHON_LITERAL
from auditor.model import Task
from making.chance import pick

RIGHT = "right"


class Fault(NamedTuple):
    """One rule of `core_faults.toml`."""

    target: str
    does: str
    problems: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()
    not_styles: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    samples: tuple[int, ...] = ()
    every: int = 1

    def fits(self, task: Task, sample: int) -> bool:
        """Say whether a task is among those that the rule speaks of."""
        return (
            task.target == self.target
            and (not self.problems or task.problem in self.problems)
            and (not self.styles or task.facets["style"] in self.styles)
            and task.facets["style"] not in self.not_styles
            and (not self.tests or task.test in self.tests)
            and (not self.probes or task.arm.removeprefix("probe/") in self.probes)
            and (not self.dimensions or bool(set(self.dimensions) & set(task.dimensions)))
            and (not self.samples or sample in self.samples)
        )


class Simulated(NamedTuple):
    """One setting of the run."""

    name: str
    about: str
    prompting: str
    family: str | None
    samples: int
    faults: tuple[Fault, ...]


class Plan(NamedTuple):
    """All that `core_faults.toml` says."""

    problems: tuple[str, ...]
    tests: int
    settings: tuple[Simulated, ...]


def read_plan(path: Path) -> Plan:
    """Read the file."""
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    return Plan(tuple(values["problems"]), values["tests"], tuple(map(_setting, values["setting"])))


def _setting(values: dict[str, Any]) -> Simulated:
    faults = tuple(
        Fault(**{key: tuple(value) if isinstance(value, list) else value for key, value in one.items()})
        for one in values.get("fault", ())
    )
    family, samples = values.get("family"), values.get("samples", 1)
    return Simulated(values["name"], values["about"], values["prompting"], family, samples, faults)


def struck(setting: Simulated, tasks: Sequence[Task], sample: int) -> Iterator[tuple[Task, str]]:
    """Yield every task with what is done to its reply, RIGHT where no fault strikes."""
    met = [0] * len(setting.faults)
    for task in tasks:
        done = RIGHT
        for number, fault in enumerate(setting.faults):
            if not fault.fits(task, sample):
                continue
            strikes = met[number] % fault.every == 0
            met[number] += 1
            if strikes and done == RIGHT:
                done = fault.does
        yield task, done


def right_answer(task: Task) -> str:
    """Return the answer as a model would write it."""
    if isinstance(task.oracle, str) and task.target == "output":
        return task.oracle
    if task.answer_type == "string":
        return repr(task.oracle)
    return json.dumps(task.oracle)


def wrong_answer(task: Task, *names: object) -> str:
    """Return another answer of the same kind, one that the task's policy finds wrong."""
    value = ast.literal_eval(task.oracle) if task.target == "output" else task.oracle  # type: ignore[arg-type]
    options = [text for text in map(repr, _others(value)) if not _is_right(task, text)]
    return pick(options, *task.key, *names)


def _is_right(task: Task, text: str) -> bool:
    policy = PYTHON_LITERAL if task.target == "output" else PROBE
    return policy.equal(task.oracle, text, task.answer_type).correct


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif value is None:
        yield 0
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1, value + 2)
    elif isinstance(value, str):
        yield from (value[:-1], value + "a", value[::-1] + "x") if value else ("a", "x")
    elif isinstance(value, dict):
        yield from ({**value, "x": 0}, dict(list(value.items())[:-1]))
    else:
        kind = type(value)
        yield kind([*value, 0])
        for place, item in enumerate(value):
            for other in _others(item):
                yield kind([*value[:place], other, *value[place + 1 :]])
