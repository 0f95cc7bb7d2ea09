"""Time traces against `sys.settrace` with an empty callback, and the sandbox against the programs run bare.

Run with: python -m tests.benchmarks.trace_speed [--evaluations N]
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
import types
from collections.abc import Callable
from typing import Any

from auditor.execution.inside.python_program import Report
from auditor.execution.inside.tracer import Watch
from auditor.execution.measures import measure
from auditor.execution.program import Program
from auditor.execution.sandbox import Sandbox
from auditor.execution.tracing import Budget, trace
from auditor.execution.wall import interpreter

SCALARS = """\
a, b, t = 0, 1, 0
for i in range({n}):
    a, b = b, (a + b) % 1000007
    if a % 3 == 0:
        t += a
    t %= 997
"""
TABLE = """\
dp = [0] * 200
for i in range({n}):
    k = i % 200
    dp[k] = (dp[k - 1] + dp[k] + i) % 1009
    best = max(dp[k], i)
"""
OBJECTS = """\
class Node:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest
head = None
for i in range({n}):
    node = Node(i, head)
    if i % 8 == 0:
        head = None
    else:
        head = node
"""
STEPS = 100_000
FAR = 600.0
"""How many times the empty callback a trace may cost before something is badly wrong."""


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def own_seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call, which others on the machine change less."""
    start = time.process_time()
    work()
    return time.process_time() - start


def with_callback(source: str, callback: Callable[..., Any] | None) -> float:
    """Return the time that a program takes in this process, under a trace function of ours."""
    code = compile(source, "bench", "exec")

    def enter(frame: types.FrameType, event: str, value: Any) -> Any:
        return callback if frame.f_code.co_filename == "bench" else None

    if callback is not None:
        sys.settrace(enter)
    try:
        return own_seconds(lambda: exec(code, {"__name__": "__main__"}))
    finally:
        sys.settrace(None)


def empty(frame: types.FrameType, event: str, value: Any) -> Any:
    """Do nothing at each event."""
    return empty


class Nowhere(Report):
    """Takes what a tracer tells and forgets it."""

    def __init__(self) -> None:
        self.bytes = 0

    def say(self, header: dict[str, Any], *blobs: bytes) -> None:
        """Count the bytes."""
        self.bytes += sum(map(len, blobs))


def recorded(source: str, steps: int) -> tuple[float, int, int]:
    """Return time, steps and bytes of a trace in this process, of which `steps` are recorded."""
    asked = {"windows": [(0, steps)], "moments": [], "seconds": 600, "bytes": 1 << 30, "value_limit": 20_000}
    report = Nowhere()
    stdout = sys.stdout, sys.__stdout__
    watch = Watch(source.encode(), asked, report)
    sys.stdout, sys.__stdout__ = stdout  # type: ignore[misc]  # the tracer put a counted one there
    code = compile(source, "bench", "exec")
    time_taken = own_seconds(lambda: watch.run(lambda: exec(code, {"__name__": "__main__"}), "bench"))
    return time_taken, watch.steps + 1, report.bytes


def overhead() -> bool:
    """Print what recording and mere counting cost; say whether it is far beyond what it should be."""
    failed = False
    for name, source, lines in (("scalars", SCALARS, 4.4), ("a table of 200", TABLE, 4.0), ("objects", OBJECTS, 6.2)):
        text = source.format(n=int(STEPS / lines))
        bare, floor = with_callback(text, None), with_callback(text, empty)
        full, steps, size = recorded(text, 1 << 40)
        light, _, _ = recorded(text, 0)
        print(
            f"{name}: {steps:,} steps; bare {bare * 1000:.0f} ms, empty callback {floor * 1000:.0f} ms; recorded "
            f"{full * 1000:.0f} ms ({size / steps:.0f} bytes a step), ratio {full / floor:.1f}; "
            f"only counted {light * 1000:.0f} ms, ratio {light / floor:.1f}"
        )
        failed |= full > FAR * floor
    return failed


def stepping(sandbox: Sandbox) -> None:
    """Print how fast a long trace is made, loaded and stepped through."""
    program = Program.python(TABLE.format(n=STEPS // 4 + 10))
    start = time.perf_counter()
    done = trace(sandbox, program, budget=Budget(steps=2 * STEPS))
    made = time.perf_counter() - start
    rng = random.Random(0)
    places = [rng.randrange(len(done)) for _ in range(300)]
    jumps = seconds(lambda: [done.state(place) for place in places]) / len(places)
    ahead = seconds(lambda: [done.state(place) for place in range(50_000, 50_300)]) / 300
    back = seconds(lambda: [done.state(place) for place in range(50_300, 50_000, -1)]) / 300
    search = seconds(lambda: done.find_line(999, 0))
    print(
        f"a trace of {len(done):,} steps: made in {made:.2f} s; a state {jumps * 1e3:.2f} ms anywhere, "
        f"{ahead * 1e3:.2f} ms the next, {back * 1e3:.2f} ms the one before; "
        f"a search through all of it {search * 1e3:.0f} ms"
    )
    metered = seconds(lambda: measure(sandbox, program))
    print(f"the same measured (opcodes and state): {metered:.2f} s")


def throughput(sandbox: Sandbox, evaluations: int) -> None:
    """Print how many small functions and programs a second the sandbox runs."""
    jobs = [(b"def f(x):\n    return sorted(x)[::-1]", f"f([{n}, 3, 1])", None) for n in range(evaluations)]
    sandbox.evaluate(*jobs[0][:2])
    taken = seconds(lambda: list(sandbox.evaluate_many(jobs))) / evaluations
    source = "print(sum(map(int, input().split())))"
    quick = seconds(lambda: [sandbox.run(Program.python(source), stdin=b"1 2") for _ in range(40)]) / 40
    fresh = seconds(lambda: [sandbox.run(Program.python(source, fresh=True), stdin=b"1 2") for _ in range(20)]) / 20
    arguments = [interpreter(), "-s", "-B", "-X", "utf8", "-c", source]
    bare = seconds(lambda: [subprocess.run(arguments, input=b"1 2", capture_output=True) for _ in range(20)]) / 20
    print(
        f"behind {sandbox.protection.wall}: a function {taken * 1e3:.1f} ms ({1 / taken:.0f} a second), a program "
        f"{quick * 1e3:.1f} ms, in a new interpreter {fresh * 1e3:.1f} ms; bare python {bare * 1e3:.1f} ms; "
        f"ratios to it {taken / bare:.2f}, {quick / bare:.2f}, {fresh / bare:.2f}"
    )


def main() -> int:
    """Print every measurement beside its floor; return 1 when one is far beyond it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=400)
    options = parser.parse_args()
    failed = overhead()
    with Sandbox() as sandbox:
        stepping(sandbox)
        throughput(sandbox, options.evaluations)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
