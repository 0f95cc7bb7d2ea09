"""A program so small that its run can be written down by hand, and probes of every kind about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from tests.runs import write_run
from tests.tui.core_audit import LOOPS, STUDY

SOURCE = LOOPS
INPUT = "[5, 5, 5, 1]"
RUN = (1, 10, 2, 3, 4, 7, 8, 3, 4, 5, 8, 3, 4, 5, 8, 3, 4, 7, 8, 3, 9, 9, 10)
"""The line of each step, with the call below the program; the last two return."""


class Worked(NamedTuple):
    """A probe with what was worked out on paper."""

    told: dict[str, Any]
    """Its record of what it asks about."""
    answer: Any
    predicted: str
    step: int | None
    visit: int | None
    visits: tuple[int, ...]
    span: tuple[int, int] | None = None
    agrees: bool | None = True
    words: str = ""
    """What is said besides."""


def _asks(kind: str, line: int, n: int | None = None, variable: str | None = None) -> dict[str, Any]:
    return {"kind": kind, "line": line, "n": n, "variable": variable, "step": 0, "depth": 5}


HEADERS, CONDITIONS = (3, 7, 11, 15, 19), (4, 8, 12, 16)
WORKED = {
    "visit": Worked(_asks("value-at-visit", 5, 2, "run"), 3, "2", 14, 2, (9, 13), words="run was 2 last at step 13."),
    "iteration": Worked(
        _asks("value-at-iteration", 3, 3, "best"), 2, "3", 12, None, HEADERS, words="best is 3 first at step 15"
    ),
    "exit": Worked(_asks("value-at-exit", 3, 1, "best"), 3, "7", 20, None, HEADERS, words="best is 7 at no kept step."),
    "branch": Worked(_asks("branch", 4, 3), True, "False", 12, 3, CONDITIONS, words="Predicted is False."),
    "count": Worked(_asks("loop-count", 3), 4, "5", 19, None, HEADERS, (3, 19)),
    "first": Worked(_asks("first-time", 4), 2, "3", 8, 2, CONDITIONS, (4, 8)),
    "wrong": Worked(
        _asks("branch", 4, 3), False, "True", 12, 3, CONDITIONS, agrees=False, words="is false: they differ."
    ),
    "line": Worked({"line": 5, "step": 12}, 3, "2", None, None, (9, 13), agrees=None, words="and not which moment"),
    "never": Worked(
        _asks("value-at-visit", 5, 9, "run"), 3, "2", None, None, (9, 13), agrees=None, words="has no such moment"
    ),
    "words": Worked({}, 3, "2", None, None, (), agrees=None, words="The record names no line"),
}
"""By the name of the probe."""


def item(name: str, *, judged: bool = False) -> str:
    """Return the key of a probe's item: of an answer, or of the probe that is judged."""
    study, setting = ("core-probes", "subject") if judged else ("core", "model-a")
    return f"{study}/longest-run%2Floops%2Ft03/probe%2F{name}/{setting}/0"


def probe_task(name: str, worked: Worked) -> dict[str, Any]:
    """Return the task of a probe."""
    kind = {bool: "boolean", int: "integer"}[type(worked.answer)]
    return {
        **{"study": "core", "case": "longest-run/loops/t03", "arm": f"probe/{name}", "language": "python"},
        **{"source": SOURCE, "input": INPUT, "target": "probe", "oracle": worked.answer, "entry_point": "longest"},
        **{"problem": "longest-run", "implementation": "loops", "test": "t03", "probe": worked.told},
        **{"question": f"What of {name}?", "answer_type": kind, "dimensions": ["State", "Boundary"]},
    }


def probe_audit(folder: Path, tasks: dict[str, dict[str, Any]] | None = None) -> Path:
    """Make a graded audit file of probes, each with a wrong answer, or of other tasks by their names."""
    made = tasks or {name: probe_task(name, worked) for name, worked in WORKED.items()}
    replies = [
        {key: task[key] for key in ("study", "case", "arm")}
        | {"setting": "model-a", "sample": 0, "response": WORKED[name].predicted if name in WORKED else "2"}
        for name, task in made.items()
    ]
    path = folder / "probes.db"
    run = write_run(folder / "probes-run", list(made.values()), replies, studies={"core": STUDY})
    report = load(path, [run], LoadOptions())
    assert not report.refusals, report.refusals
    grade_file(path)
    return path
