"""Time building cases against running their programs bare, once with each input in an interpreter of their own.

Run with: python -m tests.benchmarks.build_speed [--workers N] [--cases N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from auditor.studies.exact_output.building import BuildOptions, build_all
from auditor.studies.exact_output.case import Case
from auditor.studies.exact_output.case_files import read_cases
from auditor.studies.exact_output.executors import local_processes

PROGRAMS = Path(__file__).resolve().parents[2] / "sample_runs" / "classic_programs"
FAR = 200.0
"""How many times the bare runs a build may take before something is badly wrong."""


def run_bare(cases: Sequence[Case]) -> float:
    """Return the seconds for both runs of each case."""
    start = time.perf_counter()
    for case in cases:
        for text in (case.short, case.long):
            subprocess.run([sys.executable, "-c", case.source], input=text.encode(), capture_output=True, check=True)
    return time.perf_counter() - start


def build(cases: Sequence[Case], pool: ProcessPoolExecutor | None) -> float:
    """Return the seconds for building the cases, all of which are admitted."""
    start = time.perf_counter()
    admitted = sum(verdict.admitted for verdict in build_all(cases, BuildOptions(), pool))
    if admitted != len(cases):
        raise SystemExit(f"only {admitted} of {len(cases)} cases were admitted")
    return time.perf_counter() - start


def main() -> int:
    """Print the ratios; fail far beyond the budget."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cases", type=int, default=12)
    given = parser.parse_args()
    cases = read_cases(PROGRAMS)[0][: given.cases]
    count, bare, alone = len(cases), run_bare(cases), build(cases, None)
    with local_processes(given.workers) as pool:
        together = build(cases, pool)
    print(f"{count} cases, run bare:     {bare:6.2f} s, {count / bare:5.1f} programs a second")
    for where, seconds in (("in one process", alone), (f"in {given.workers} processes", together)):
        print(
            f"built {where:15s} {seconds:6.2f} s, {count / seconds:5.1f} programs a second, "
            f"{seconds / bare:5.1f} times the bare runs, {(seconds - bare) / count:5.2f} s more a case"
        )
    return int(alone > FAR * bare)


if __name__ == "__main__":
    sys.exit(main())
