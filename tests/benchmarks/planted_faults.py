"""Plant faults in programs and see what the search for faults makes of the wrong answers.

Run with: python -m tests.benchmarks.planted_faults [--each N] [--cruxeval FOLDER --failures N]
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from auditor.diagnosis.case import Budget, Case
from auditor.diagnosis.search import search
from auditor.execution.sandbox import Sandbox
from auditor.grading.policies import PYTHON_LITERAL
from tests.diagnosis.measuring import Score, look_for, trials
from tests.diagnosis.programs import PROGRAMS

SAMPLE = Path(__file__).resolve().parents[2] / "sample_runs" / "exact-output" / "tasks.jsonl"


def programs() -> Iterator[tuple[str, str, str]]:
    """Yield the small programs, and those of the sample run with their short inputs."""
    for name, (source, text) in PROGRAMS.items():
        yield name, source, text
    for line in SAMPLE.read_text(encoding="utf-8").splitlines():
        task = json.loads(line)
        if task["arm"] == "short-trace-final":
            yield task["case"], task["source"], task["input"]


def percent(part: int, whole: int) -> str:
    """Return a share with its counts."""
    return f"{part}/{whole} = {100 * part / whole:.1f} %" if whole else "0/0"


def planted(sandbox: Sandbox, each: int, only: int) -> None:
    """Print the rates over planted faults, of all and by family."""
    scores: dict[str, Score] = {family: Score() for family in ("all", "single", "outside", "two")}
    tried = seconds = 0.0
    for name, source, text in list(programs())[:only]:
        for trial in trials(sandbox, name, source, text, each):
            start = time.perf_counter()
            found = look_for(sandbox, trial)
            seconds += time.perf_counter() - start
            tried += found.tried
            for family in ("all", trial.planted.family):
                scores[family].add(trial, found)
            told = {(str(fault.kind), fault.line) for fault in found.faults}
            if trial.alone and trial.planted.marks[0] not in told:
                print(f"not named: {name} {trial.planted.marks} ({found.extent})")
            if found.cause is not None and (str(found.cause.kind), found.cause.line) not in trial.planted.marks:
                print(f"wrong cause: {name} {trial.planted.marks}: {found.cause.clause}; {found.bits:.1f} bits")
        far = scores["all"]
        print(f"{name}: so far {far.trials} trials, {far.named} of {far.alone} alone named, {far.wrong} wrong causes")
    for family, score in scores.items():
        print(f"{family}: {score.trials} trials, explained {percent(score.explained, score.trials)}")
        print(f"  alone, kind and line named {percent(score.named, score.alone)}; nothing else told {score.only}")
        print(f"  called the cause {score.claimed}, wrongly {percent(score.wrong, score.trials)} of all")
    print(f"{tried:.0f} programs in {seconds:.0f} s: {1000 * seconds / max(tried, 1):.1f} ms each")


def failures(folder: Path, run: str, count: int) -> Iterator[Case]:
    """Yield wrong literal predictions of a run of CRUXEval, a sample in a fixed order."""
    rows = {row["id"]: row for row in map(json.loads, (folder / "cruxeval.jsonl").read_text().splitlines())}
    record = json.loads((folder / "runs" / f"{run}.json").read_text())
    found = []
    for name, replies in record["raw_generations"].items():
        row, reply = rows[name], replies[0].rpartition("==")[2].strip()
        if not record["raw_scored_generations"][name][0] and _is_literal(reply):
            found.append(Case(row["code"], row["input"], row["output"], reply, _equal_literals, "f"))
    random.Random(1).shuffle(found)
    yield from found[:count]


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _equal_literals(left: str, right: str) -> bool:
    return PYTHON_LITERAL.equal(left, right).correct


def cruxeval(sandbox: Sandbox, folder: Path, run: str, count: int, seconds: float) -> None:
    """Print the share of real failures that get an explanation."""
    total = explained = strong = claimed = 0
    kinds: Counter[str] = Counter()
    for case in failures(folder, run, count):
        found = search(sandbox, case, Budget(seconds=seconds))
        total += 1
        explained += bool(found.groups)
        strong += bool(found.groups) and not found.weak
        if found.cause is not None:
            claimed += 1
            kinds[str(found.cause.kind)] += 1
    print(f"{run}: some fault fits {percent(explained, total)}, not weak {percent(strong, total)}")
    print(f"  one called the cause {percent(claimed, total)}: {dict(kinds)}")


def main() -> None:
    """Print all rates."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--each", type=int, default=4, help="single faults a program; half as many of the others")
    parser.add_argument("--programs", type=int, default=1_000)
    parser.add_argument("--cruxeval", type=Path)
    parser.add_argument("--run", action="append", default=[])
    parser.add_argument("--failures", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0, help="budget of each of those searches")
    given = parser.parse_args()
    with Sandbox() as sandbox:
        if given.programs:
            planted(sandbox, given.each, given.programs)
        for run in given.run if given.cruxeval else ():
            cruxeval(sandbox, given.cruxeval, run, given.failures, given.seconds)


if __name__ == "__main__":
    main()
