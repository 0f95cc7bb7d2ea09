"""Print how often the difference of a real wrong CRUXEval reply is not exact, and what differences cost.

Run as `AUDITOR_SHARED=… python -m tests.benchmarks.diff_share`. It prints and asserts nothing.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from auditor.compare.code_points import look_alikes
from auditor.compare.text_diff import diff_text
from auditor.tui.text_comparison import text_lines

_WIDTH = 57
"""Cells of a line in the comparison pane of a terminal with 120 columns."""


class Measured(NamedTuple):
    """One compared reply."""

    characters: int
    milliseconds: float
    """Of the text difference alone."""
    with_layout: float
    """Of the difference, what looks alike, and the lines that the screen shows."""
    exact: bool


def wrong_replies(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield run name, oracle and generation of each output that was scored as wrong."""
    cases = (json.loads(line) for line in (folder / "cruxeval.jsonl").open(encoding="utf-8"))
    oracles = {case["id"]: case["output"] for case in cases}
    for path in sorted((folder / "runs").glob("*_output.json")):
        run = json.loads(path.read_text(encoding="utf-8"))
        for case, generations in run["raw_generations"].items():
            for generation, right in zip(generations, run["raw_scored_generations"][case], strict=True):
                if not right:
                    yield path.stem, oracles[case], generation


def measure(oracle: str, generation: str) -> Measured:
    """Compare one reply and lay out its lines."""
    started = perf_counter()
    diff = diff_text(oracle, generation)
    compared = perf_counter()
    look_alikes(oracle, generation, diff)
    text_lines(oracle, generation, diff.pieces, _WIDTH)
    done = perf_counter()
    return Measured(len(oracle) + len(generation), 1e3 * (compared - started), 1e3 * (done - started), diff.exact)


def report(name: str, measured: list[Measured]) -> str:
    """Write one line of the table."""
    inexact = sum(not each.exact for each in measured)
    columns = [f"{name:34}", f"{len(measured):7,}", f"{inexact:6}", f"{inexact / len(measured):8.3%}"]
    for values in ([each.milliseconds for each in measured], [each.with_layout for each in measured]):
        ranked = sorted(values)
        shown = (ranked[int(share * (len(ranked) - 1))] for share in (0.5, 0.95, 0.99, 1))
        columns.append(" ".join(f"{value:8.3f}" for value in shown))
    columns.append(f"{max(each.characters for each in measured):8,}")
    return "  ".join(columns)


def main() -> None:
    """Print the table."""
    shared = os.environ.get("AUDITOR_SHARED")
    if not shared:
        sys.exit("AUDITOR_SHARED is not set: it names the folder that holds data/cruxeval.")
    runs: dict[str, list[Measured]] = {}
    for run, oracle, generation in wrong_replies(Path(shared) / "data" / "cruxeval"):
        runs.setdefault(run, []).append(measure(oracle, generation))
    percentiles = " ".join(f"{name:>8}" for name in ("p50", "p95", "p99", "max"))
    print(f"{'':59}  {'difference, ms':>35}  {'with look-alikes and lines, ms':>35}")
    print(f"{'wrong replies':34}  {'replies':>7}  {'inexact':>6} {'share':>8}  {percentiles}  {percentiles}   longest")
    for run, measured in runs.items():
        print(report(run, measured))
    print(report("all", [each for measured in runs.values() for each in measured]))


if __name__ == "__main__":
    main()
