"""A run of CoRE so small that its measures can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.runs import write_run

STUDY = 'cluster = "problem"\npolicy = "json-or-tokens"'
STYLES = ("loops", "terse")
TESTS = ("1", "2")
PROBES: Mapping[str, Sequence[str]] = {"1": ["arithmetic"], "2": ["arithmetic", "logic"], "3": ["state"]}
SETTINGS = ({"setting": "a", "model": "a", "facets": {"family": "loops"}}, {"setting": "b", "family": "terse"})
Name = tuple[str, ...]
"""Of an output: problem, implementation, test; of a probe: problem, id."""


def output_task(problem: str, implementation: str, test: str, study: str = "core") -> dict[str, Any]:
    """Return the line of an output; what is right is the test's name."""
    return {
        "study": study,
        "case": f"{problem}/{implementation}/{test}",
        "arm": "output",
        "language": "python",
        "source": f"print({test})  # {problem} {implementation}\n",
        "input": "",
        "target": "output",
        "oracle": f"{test}\n",
        "problem": problem,
        "implementation": implementation,
        "test": test,
        "facets": {"style": implementation},
    }


def probe_task(problem: str, probe: str, dimensions: Sequence[str], study: str = "core") -> dict[str, Any]:
    """Return the line of a probe of the first implementation and test; what is right is 7."""
    plain = output_task(problem, STYLES[0], TESTS[0], study)
    return plain | {
        **{"arm": f"probe/{probe}", "target": "probe", "oracle": 7, "question": "What is x?", "answer_type": "int"},
        "dimensions": list(dimensions),
    }


def write_toy(
    folder: Path,
    wrong: Mapping[tuple[str, int], Mapping[Name, str | None]],
    *,
    problems: Sequence[str] = ("p", "q"),
    studies: tuple[str, str] = ("core", "core"),
) -> Path:
    """Write a run of two implementations with two tests each and three probes a problem.

    `wrong` has what a setting did not answer rightly in a repetition: another text, None for a recorded
    non-response, or `absent` for no row. `studies` has those of outputs and of probes.
    """
    of_outputs, of_probes = studies
    named: dict[Name, dict[str, Any]] = {}
    for problem in problems:
        for style in STYLES:
            named |= {(problem, style, test): output_task(problem, style, test, of_outputs) for test in TESTS}
        named |= {(problem, one): probe_task(problem, one, names, of_probes) for one, names in PROBES.items()}
    responses = []
    for (setting, sample), texts in wrong.items():
        for name, task in named.items():
            text = texts.get(name, task["oracle"] if task["arm"] == "output" else "7")
            if text != "absent":
                responses.append(
                    {key: task[key] for key in ("study", "case", "arm")}
                    | {"setting": setting, "sample": sample, "response": text}
                )
    settings = [one for one in SETTINGS if one["setting"] in {setting for setting, _ in wrong}]
    return write_run(folder, list(named.values()), responses, settings, studies=dict.fromkeys(studies, STUDY))
