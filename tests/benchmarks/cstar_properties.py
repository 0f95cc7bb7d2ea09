"""Check on many random C* programs what the suite checks on a few hundred.

Run with: python -m tests.benchmarks.cstar_properties [--programs N] [--first SEED]
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from auditor.studies.prex.cstar.fuzzing import Shape
from tests.studies.prex.properties import check_program


def shape_of(seed: int) -> Shape:
    """Return a shape for a seed: mostly short programs, every hundredth one of some hundred lines."""
    chance = random.Random(seed)
    lines = chance.randint(200, 800) if seed % 100 == 0 else chance.randint(4, 40)
    return Shape(lines, chance.randint(1, 8), halts=0.02)


def main() -> int:
    """Check every program with its invalid twins in every notation; return 1 when one of them does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    failed = []
    start = time.perf_counter()
    for seed in range(given.first, given.first + given.programs):
        try:
            check_program(seed, shape_of(seed), thorough=True)
        except Exception as error:  # whatever it is, the seed is what somebody needs
            failed.append(seed)
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
    taken = time.perf_counter() - start
    print(
        f"{given.programs:,} programs with {5 * given.programs:,} invalid twins, in both syntaxes and other notations: "
        f"{len(failed)} failed; {taken:.0f} s, {6 * given.programs / taken:.0f} programs a second"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
