"""Time the steps of a replay of a long run against keys in an empty Textual app, and against a short run.

Run with: python -m tests.benchmarks.replay_speed [--steps 100000] [--keys 200]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

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


async def _median(keys: Iterator[str], send: Callable[[str], Awaitable[None]]) -> float:
    times = []
    for key in keys:
        began = time.perf_counter()
        await send(key)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


async def _empty(count: int) -> float:
    app = Empty()
    async with app.run_test(size=(120, 40)) as pilot:

        async def send(key: str) -> None:
            await pilot.press(key)

        return await _median(iter(["x"] * count), send)


async def _replay(folder: Path, steps: int, count: int) -> dict[str, float]:
    source = PROGRAM.format(n=steps // _STEPS_AN_ITERATION)
    task = tasks()[0] | {"source": source, "input": ""}
    path = audit_of(folder, [task], [reply("short-trace-final", "1\n")])
    with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            began = time.perf_counter()
            await press(pilot, "t")
            found = {"load": time.perf_counter() - began}
            screen = pilot.app.screen
            assert isinstance(screen, ReplayScreen) and screen.replay is not None
            await press(pilot, "g", *str(len(screen.replay.trace) // 2), "enter")
            found |= await _moves(pilot, screen, count)
    return found


async def _moves(pilot: Pilot[int], screen: ReplayScreen, count: int) -> dict[str, float]:
    async def send(key: str) -> None:
        await pilot.press(key)

    found = {}
    for name, key in (("forward", "full_stop"), ("back", "comma"), ("iteration", "right_square_bracket")):
        found[name] = await _median(iter([key] * count), send)
    assert screen.replay is not None
    places, drawn, last = [], random.Random(0), screen.replay.last
    for _ in range(count):
        began = time.perf_counter()
        screen.show_step(drawn.randrange(last))
        await pilot.pause()
        places.append(time.perf_counter() - began)
    return found | {"anywhere": statistics.median(places)}


def main() -> int:
    """Print medians and ratios."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=100_000)
    arguments.add_argument("--keys", type=int, default=200)
    asked = arguments.parse_args()
    empty = asyncio.run(_empty(asked.keys))
    print(f"{'a key in an empty app':32}{1e3 * empty:9.1f} ms")
    for steps in (100, asked.steps):
        with TemporaryDirectory() as folder:
            found = asyncio.run(_replay(Path(folder), steps, min(asked.keys, max(10, steps // 10))))
        for name, seconds in found.items():
            ratio = "" if name == "load" else f"{seconds / empty:8.2f} x an empty app"
            print(f"{f'{steps:,} steps: {name}':32}{1e3 * seconds:9.1f} ms{ratio}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
