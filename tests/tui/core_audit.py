"""An audit file of one problem of CoRE with several implementations, tests and probes, under settings of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from tests.hostile import HOSTILE
from tests.runs import write_run

STUDY = 'cluster = "problem"\npolicy = "python-literal"\nenvelope = "none"\ncodebook = "execution"'
LOOPS = """def longest(values):
    best, run = 0, 0
    for at, value in enumerate(values):
        if at and value == values[at - 1]:
            run += 1
        else:
            run = 1
        best = max(best, run)
    return best
"""
WHILE = """def longest(values):
    best, start = 0, 0
    while start < len(values):
        end = start
        while end < len(values) and values[end] == values[start]:
            end += 1
        best = max(best, end - start)
        start = end
    return best
"""
FUNCTIONAL = """from itertools import groupby


def longest(values):
    return max((len(list(run)) for _, run in groupby(values)), default=0)
"""
SOURCES = {"loops": LOOPS, "while-index": WHILE, "functional": FUNCTIONAL}
TESTS = {"t01": ("[1, 1, 2]", "2"), "t02": ("[]", "0"), "t03": ("[5, 5, 5, 1]", "3"), "t04": ("[1, 2]", "1")}
PROBES: dict[str, tuple[str, str, str, list[str], int, int | None]] = {
    "p1": ("t03", "What is the value of `run` right after line 5 has run for the 2nd time?", "3", ["State"], 5, 2),
    "p2": ("t03", "How many iterations does the loop in line 3 begin in the whole run?", "4", ["Boundary"], 3, None),
}
WRONG: dict[tuple[str, int], dict[tuple[str, str], str | None]] = {
    ("careful", 0): {},
    ("hasty", 0): {("functional", "t02"): "1", ("while-index", "t03"): "4", ("loops", "p1"): "2"},
    ("hasty", 1): {("functional", "t02"): None, ("loops", "p2"): "5"},
    ("partial", 0): {("loops", "t01"): "absent"},
}


def core_task(implementation: str, name: str) -> dict[str, Any]:
    """Return an output, or a probe of the implementation with loops."""
    probe = PROBES.get(name)
    test = probe[0] if probe else name
    given, oracle = TESTS[test]
    task = {"study": "core", "case": f"longest-run/{implementation}/{test}", "arm": "output", "language": "python"}
    task |= {"source": SOURCES[implementation], "input": given, "target": "output", "oracle": oracle}
    task |= {"problem": "longest-run", "implementation": implementation, "test": test, "entry_point": "longest"}
    if probe is None:
        return task
    _, question, answer, dimensions, line, n = probe
    asked = {"question": question, "answer_type": "integer", "dimensions": dimensions, "oracle": int(answer)}
    about = {"kind": "loop-count", "line": line, "n": None, "variable": None, "step": 19, "depth": 6}
    if n is not None:
        about |= {"kind": "value-at-visit", "n": n, "variable": "run", "step": 14}
    return task | {"arm": f"probe/{name}", "target": "probe", "probe": about} | asked


def core_audit(folder: Path) -> Path:
    """Make the audit file."""
    tasks = {(style, test): core_task(style, test) for style in SOURCES for test in TESTS}
    tasks |= {("loops", probe): core_task("loops", probe) for probe in PROBES}
    replies = []
    for (setting, sample), wrong in WRONG.items():
        for name, task in tasks.items():
            answer = wrong.get(name, str(task["oracle"]))
            key = {field: task[field] for field in ("study", "case", "arm")}
            if answer != "absent":
                replies.append(key | {"setting": setting, "sample": sample, "response": answer})
    return _made(folder, list(tasks.values()), replies)


def hostile_core_audit(folder: Path) -> Path:
    """Make an audit file of one problem with every hostile text as name, source, question, dimension and reply."""
    tasks, replies = [], []
    for number, text in enumerate(HOSTILE.values()):
        named = {"implementation": text or "none", "test": f"{number} {text}", "source": text or "pass"}
        output = core_task("loops", "t01") | named | {"case": f"{number} {text}", "problem": "\x1b[2J[/] [b]"}
        asked = {"question": text or "none", "dimensions": [text or "none"], "arm": f"probe/{number} {text}"}
        probe = core_task("loops", "p1") | {key: output[key] for key in (*named, "case", "problem")} | asked
        for task in (output, probe):
            tasks.append(task)
            key = {field: task[field] for field in ("study", "case", "arm")}
            replies.append(key | {"setting": "[i]lm\x1b[31m", "sample": 0, "response": text})
    return _made(folder, tasks, replies)


def _made(folder: Path, tasks: list[dict[str, Any]], replies: list[dict[str, Any]]) -> Path:
    path = folder / "core.db"
    report = load(path, [write_run(folder / "core-run", tasks, replies, studies={"core": STUDY})], LoadOptions())
    assert not report.refusals, report.refusals
    grade_file(path)
    return path
