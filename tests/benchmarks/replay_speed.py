"""Time the steps of a replay of a long run against keys in an empty Textual app, and against a short run.

Run with: python -m tests.benchmarks.replay_speed [--steps 100000] [--keys 200]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import Static

from auditor.audit.review import QueueWish, open_session
from auditor.tui.screens.replay import ReplayScreen
from tests.replayed import reply, tasks
from tests.tui.conftest import audit_of
from tests.tui.driving import press, reviewing

PROGRAM = """def mix(a, b):
    return (a * 31 + b) % 1000003
total, table = 0, [0] * 50
for i in range({n}):
    total = mix(total, i)
    table[i % 50] = total
print(total)
"""
_STEPS_AN_ITERATION = 5
FAR = 10.0
"""How many times a key of an empty app a step may take before something is badly wrong."""


class Empty(App[None]):
    """As little as a Textual app can do for a key: one row changes."""

    BINDINGS = [Binding("x", "count", priority=True)]  # noqa: RUF012 (Textual's declaration)
    number = 0

    def compose(self) -> ComposeResult:
        yield Static("0")

    def action_count(self) -> None:
        """Show another number."""
        self.number += 1
        self.query_one(Static).update(str(self.number))


class Times(NamedTuple):
    """Half of the keys, and all but a twentieth of them, took no longer; in seconds."""

    half: float
    most: float

    @classmethod
    def of(cls, times: Sequence[float]) -> Times:
        """Take the quantiles."""
        return cls(statistics.median(times), statistics.quantiles(times, n=20)[-1])


async def _times(keys: Iterator[str], send: Callable[[str], Awaitable[None]]) -> Times:
    times = []
    for key in keys:
        began = time.perf_counter()
        await send(key)
        times.append(time.perf_counter() - began)
    return Times.of(times)


async def _empty(count: int) -> Times:
    app = Empty()
    async with app.run_test(size=(120, 40)) as pilot:

        async def send(key: str) -> None:
            await pilot.press(key)

        return await _times(iter(["x"] * count), send)


async def _replay(folder: Path, steps: int, count: int) -> tuple[float, dict[str, Times]]:
    source = PROGRAM.format(n=steps // _STEPS_AN_ITERATION)
    task = tasks()[0] | {"source": source, "input": ""}
    path = audit_of(folder, [task], [reply("short-trace-final", "1\n")])
    with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            began = time.perf_counter()
            await press(pilot, "t")
            load = time.perf_counter() - began
            screen = pilot.app.screen
            assert isinstance(screen, ReplayScreen) and screen.replay is not None
            await press(pilot, "g", *str(len(screen.replay.trace) // 2), "enter")
            return load, await _moves(pilot, screen, count)


async def _moves(pilot: Pilot[int], screen: ReplayScreen, count: int) -> dict[str, Times]:
    async def send(key: str) -> None:
        await pilot.press(key)

    found = {}
    for name, key in (
        ("step forward", "full_stop"),
        ("step back", "comma"),
        ("next iteration", "right_square_bracket"),
        ("iteration before", "left_square_bracket"),
        ("next change", "enter"),
        ("change before", "minus"),
    ):
        found[name] = await _times(iter([key] * count), send)
    assert screen.replay is not None
    places, drawn, last = [], random.Random(0), screen.replay.last
    for _ in range(count):
        began = time.perf_counter()
        screen.show_step(drawn.randrange(last))
        await pilot.pause()
        places.append(time.perf_counter() - began)
    return found | {"any step": Times.of(places)}


def main() -> int:
    """Print times and their ratios to a key of the empty app; return 1 when one is far beyond it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=100_000)
    arguments.add_argument("--keys", type=int, default=200)
    asked = arguments.parse_args()
    empty = asyncio.run(_empty(asked.keys))
    print(f"{'':34}{'p50':>9}{'p95':>12}   ratios to an empty app's p50")
    print(f"{'a key in an empty app':34}{1e3 * empty.half:9.1f}{1e3 * empty.most:9.1f} ms")
    worst = 0.0
    for steps in (100, asked.steps):
        with TemporaryDirectory() as folder:
            load, found = asyncio.run(_replay(Path(folder), steps, min(asked.keys, max(20, steps // 10))))
        print(f"{f'{steps:,} steps: run and shown':34}{1e3 * load:9.1f} ms")
        for name, taken in found.items():
            half, most = taken.half / empty.half, taken.most / empty.half
            times = f"{1e3 * taken.half:9.1f}{1e3 * taken.most:9.1f} ms"
            print(f"{f'{steps:,} steps: {name}':34}{times}{half:8.2f}{most:8.2f}")
            worst = max(worst, half)
    return int(worst > FAR)


if __name__ == "__main__":
    raise SystemExit(main())
