"""Time the import of 224,000 responses against `sqlite-utils insert --nl` of the same records, in the same run.

usage: AUDITOR_SHARED=DIR python tests/benchmarks/import_speed.py [--rounds 3]

Prints wall and processor seconds of the best round of each, and their ratio; fails only far beyond the budget.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

SAMPLES = 20
BUDGET = 1 / 3
FAILS_ABOVE = 0.5


class Spent(NamedTuple):
    """Seconds of one run of a command."""

    wall: float
    processor: float


def write_run(folder: Path) -> int:
    """Write the published grid with twenty samples a cell; return how many responses that are."""
    maker = Path(os.environ["AUDITOR_SHARED"]).resolve() / "tools" / "paper_grid.py"
    subprocess.run([sys.executable, str(maker), str(folder)], check=True)
    head = folder / "run.toml"
    head.write_text(head.read_text().replace("[[study]]\n", f"[[study]]\nsamples = {SAMPLES}\n"))
    lines = folder / "responses.jsonl"
    records = [json.loads(line) for line in lines.read_text().splitlines()]
    with lines.open("w") as file:
        for sample in range(SAMPLES):
            file.writelines(json.dumps({**record, "sample": sample}) + "\n" for record in records)
    return SAMPLES * len(records)


def spent(command: Sequence[str]) -> Spent:
    """Run a command to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> int:
    """Run both in turn and compare their best rounds."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=3)
    rounds = options.parse_args().rounds
    with TemporaryDirectory(prefix="auditor-import-speed-") as name:
        folder = Path(name)
        count = write_run(folder / "run")
        ours: list[Spent] = []
        theirs: list[Spent] = []
        for number in range(rounds):
            audit, plain = str(folder / f"audit-{number}.db"), str(folder / f"plain-{number}.db")
            lines = str(folder / "run" / "responses.jsonl")
            ours.append(spent([sys.executable, "-m", "auditor", "import", audit, str(folder / "run"), "--quiet"]))
            theirs.append(spent([sys.executable, "-m", "sqlite_utils", "insert", plain, "responses", lines, "--nl"]))
            for path in folder.glob("*.db*"):
                path.unlink()
    print(f"{count:,} responses, best of {rounds} rounds, in seconds")
    print(f"{'':24}{'wall':>8}{'processor':>12}")
    for label, runs in (("auditor import", ours), ("sqlite-utils insert --nl", theirs)):
        print(f"{label:24}{min(r.wall for r in runs):8.2f}{min(r.processor for r in runs):12.2f}")
    ratios = [min(s[i] for s in ours) / min(s[i] for s in theirs) for i in (0, 1)]
    print(f"{'ratio':24}{ratios[0]:8.3f}{ratios[1]:12.3f}")
    print(f"budget: at most {BUDGET:.3f} of the wall time")
    return int(ratios[0] > FAILS_ABOVE)


if __name__ == "__main__":
    sys.exit(main())
