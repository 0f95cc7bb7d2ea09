"""Time the C* interpreters against a bare Python loop that does the same arithmetic, and the work on whole programs.

Run with: python -m tests.benchmarks.cstar_speed [--turns N]
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Callable

from auditor.studies.prex.cstar.error_kinds import PlantedError
from auditor.studies.prex.cstar.fuzzing import Shape, fuzz
from auditor.studies.prex.cstar.machine import Ending, Stepper, run
from auditor.studies.prex.cstar.notation import STANDARD, UNSEEN
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.planting import Field
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.respelling import respell
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import Program

LOOP = """\
int i;
int s;
while (i < {turns})
{{
    i = (i + 1);
    if ((i % 3) == 0)
    {{
        continue;
    }}
    else
    {{
    }};
    s = ((s + (i * i)) % 1000);
}};
"""
BUDGET = 10**9
FAR = 500.0
"""How many times the bare loop an interpreter may take before something is badly wrong."""


def bare(turns: int) -> int:
    """Do in Python what LOOP does."""
    i = s = 0
    while i < turns:
        i = i + 1
        if i % 3 == 0:
            continue
        s = (s + i * i) % 1000
    return s


def own_seconds(work: Callable[[], object], times: int = 3) -> float:
    """Return the least processor time of some calls."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def walked(program: Program, formalism: Formalism) -> int:
    """Go through a run step by step, and return the number of steps."""
    return sum(1 for _ in Stepper(program, formalism, BUDGET))


def interpreters(turns: int) -> bool:
    """Print steps a second and the ratio to the bare loop; say whether one is far beyond what it should be."""
    program, floor = parse(LOOP.format(turns=turns)), own_seconds(lambda: bare(turns))
    print(f"the bare loop: {turns:,} turns in {floor * 1000:.1f} ms")
    failed = False
    for formalism in Formalism:
        execution = run(program, formalism, BUDGET)
        assert execution.ending is Ending.COMPLETE and execution.state["s"] == bare(turns)
        ran = own_seconds(functools.partial(run, program, formalism, BUDGET))
        stepped = own_seconds(functools.partial(walked, program, formalism))
        print(
            f"{formalism.value}: {execution.steps:,} steps; run {execution.steps / ran:,.0f} steps a second, ratio "
            f"{ran / floor:.0f}; step by step {execution.steps / stepped:,.0f} a second, ratio {stepped / floor:.0f}"
        )
        failed |= ran > FAR * floor
    return failed


def programs(lines: int, count: int, turn: float) -> None:
    """Print how many programs a second are made, read, run, broken and respelled; `turn` is the bare loop's, in s."""
    shape = Shape(lines, 6)
    made = own_seconds(lambda: [fuzz(seed, shape) for seed in range(count)], 1) / count
    texts = [print_program(fuzz(seed, shape)) for seed in range(count)]
    read = own_seconds(lambda: [parse(text) for text in texts], 1) / count
    trees = [parse(text) for text in texts]
    ran = own_seconds(lambda: [run(tree, formalism) for tree in trees for formalism in Formalism], 1) / count
    broken = own_seconds(lambda: [Field(tree).plant(error) for tree in trees for error in PlantedError], 1) / count
    spelled = own_seconds(lambda: [respell(text, STANDARD, UNSEEN) for text in texts], 1) / count
    whole = (made + read + ran + broken + spelled) / 6
    print(
        f"programs of {lines} lines, each: made {made * 1e3:.1f} ms, read {read * 1e3:.1f} ms, run under S and K "
        f"{ran * 1e3:.1f} ms, five invalid twins {broken * 1e3:.1f} ms, respelled {spelled * 1e3:.2f} ms; "
        f"{1 / whole:.1f} finished programs a second, each the time of {whole / turn:,.0f} turns of the bare loop"
    )


def main() -> int:
    """Print every measurement; return 1 when an interpreter is far slower than it should be."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=50_000)
    turns = parser.parse_args().turns
    failed = interpreters(turns)
    turn = own_seconds(lambda: bare(turns)) / turns
    programs(20, 30, turn)
    programs(100, 10, turn)
    programs(786, 3, turn)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
