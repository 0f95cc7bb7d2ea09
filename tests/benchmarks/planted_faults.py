"""Plant faults in programs and see what the search for faults makes of the wrong answers.

Faults are planted by `tests/diagnosis/planting.py`, which shares no code with the search: single ones of the kinds that
are searched for, ones of other sorts, and two at once. The programs are small ones of the tests, those of the sample
study `classic`, and with --cruxeval functions of CRUXEval. Intervals are cluster bootstraps over programs.

Run with: python -m tests.benchmarks.planted_faults [--each N] [--cruxeval FOLDER --functions N] [--seed N]
"""

from __future__ import annotations

import argparse
import json
import random
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from auditor.analysis.cluster_bootstrap import cluster_bootstrap_ratio
from auditor.diagnosis.search import Search
from auditor.execution.sandbox import Sandbox
from auditor.execution.workers import Workers
from tests.diagnosis.measuring import Score, Sown, Trial, is_wrong, look_for, trials
from tests.diagnosis.programs import PROGRAMS

SAMPLES = Path(__file__).resolve().parents[2] / "sample_runs"
CLASSIC = ("classic_programs", "programs")
"""The folders of the sample study `classic`."""
FAMILIES = ("all", "single", "outside", "two")
FAR_BELOW, FAR_ABOVE = 0.6, 0.1
"""Shares named, and of wrong causes, at which something is badly wrong."""


def programs(cruxeval: Path | None, functions: int, seed: int) -> Iterator[Sown]:
    """Yield the small programs, those of the sample study with their short inputs, and functions drawn at random."""
    for name, (source, text) in PROGRAMS.items():
        yield Sown(name, source, text)
    for path in sorted(path for folder in CLASSIC for path in (SAMPLES / folder).glob("*.py")):
        yield Sown(path.stem, path.read_text(), str(tomllib.loads(path.with_suffix(".toml").read_text())["short"]))
    if cruxeval is not None:
        rows = [json.loads(line) for line in (cruxeval / "cruxeval.jsonl").read_text().splitlines()]
        for row in random.Random(seed).sample(rows, min(functions, len(rows))):
            yield Sown(row["id"], row["code"], row["input"], "f")


def told(trial: Trial, found: Search) -> Iterator[str]:
    """Yield what is worth a look: a fault that is alone and not named, and a cause that is none."""
    named = {(str(fault.kind), fault.line) for fault in found.faults}
    if trial.alone and trial.planted.marks[0] not in named:
        yield f"not named: {trial.program} {trial.planted.marks} ({found.extent})"
    if found.cause is not None and is_wrong(trial, found):
        yield f"wrong cause: {trial.program} {trial.planted.marks}: {found.cause.clause}; {found.bits:.1f} bits"


def rate(scores: list[Score], part: Callable[[Score], int], whole: Callable[[Score], int]) -> tuple[str, float | None]:
    """Return a share with its counts and interval, in words and as a number."""
    tops, bottoms = [part(one) for one in scores], [whole(one) for one in scores]
    found = cluster_bootstrap_ratio(tops, bottoms)
    counts = f"{sum(tops):,}/{sum(bottoms):,}"
    if found.value is None or found.low is None or found.high is None:
        return f"{counts} ({found.reason})", found.value
    words = f"{counts} = {100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    return f"{words}, {found.n_clusters} programs", found.value


def print_rates(name: str, scores: list[Score]) -> bool:
    """Print the shares of one family; say whether one is far from what it should be."""
    named, share = rate(scores, lambda one: one.named, lambda one: one.alone)
    wrong, wrongly = rate(scores, lambda one: one.wrong, lambda one: one.trials)
    print(f"{name}: {sum(one.trials for one in scores):,} trials")
    print(f"  some fault fits                         {rate(scores, lambda o: o.explained, lambda o: o.trials)[0]}")
    print(f"  alone: line and kind named              {named}")
    print(f"  alone: and nothing else told            {rate(scores, lambda o: o.only, lambda o: o.alone)[0]}")
    print(f"  one called the cause                    {rate(scores, lambda o: o.claimed, lambda o: o.trials)[0]}")
    print(f"  a wrong one called the cause, of all    {wrong}")
    return (share is not None and share < FAR_BELOW) or (wrongly is not None and wrongly > FAR_ABOVE)


def main() -> int:
    """Print all rates; return 1 when one is far from what it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=4, help="single faults a program; half as many of the others")
    parser.add_argument("--cruxeval", type=Path, help="folder of cruxeval.jsonl")
    parser.add_argument("--functions", type=int, default=100, help="so many functions of it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--quiet", action="store_true", help="only the rates")
    given = parser.parse_args()
    scores: dict[str, list[Score]] = {family: [] for family in FAMILIES}
    start, tried = time.perf_counter(), 0

    def work(sandbox: Sandbox, sown: Sown) -> list[tuple[Trial, Search]]:
        sought = trials(sandbox, sown, given.each, given.seed)
        return list(zip(sought, look_for(sandbox, sought), strict=True))

    with Workers(given.workers) as workers:
        for pairs in workers.each(programs(given.cruxeval, given.functions, given.seed), work):
            of_program = {family: Score() for family in FAMILIES}
            for trial, found in pairs:
                for family in ("all", trial.planted.family):
                    of_program[family].add(trial, found)
                if not given.quiet:
                    for line in told(trial, found):
                        print(line, flush=True)
            for family, score in of_program.items():
                scores[family].append(score)
            tried += max((found.tried for _, found in pairs), default=0)
    failed = [print_rates(family, scores[family]) for family in FAMILIES]
    seconds = time.perf_counter() - start
    print(f"{tried:,} faulty programs in {seconds:.0f} s: {1000 * seconds / max(tried, 1):.1f} ms each")
    return int(failed[0])


if __name__ == "__main__":
    raise SystemExit(main())
