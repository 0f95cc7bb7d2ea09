"""Print what large texts cost on the review screen, beside a small item in the same run.

Run as `python -m tests.benchmarks.large_texts`. For each item it prints the time from the key that goes there to a
painted screen, the longest time in which no key would have been looked at until all was laid out, how long that took,
and the slowest of 20 pages; each also as a multiple of the small item's. It asserts nothing.
"""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from textual.events import Key
from textual.keys import key_to_character
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.tui.app import ReviewApp
from tests.tui.conftest import _reply, _task, audit_of
from tests.tui.driving import reviewing, screen_of, settle

_PAGES = 20
_PAINT, _PAGE = 0.3, 0.05
"""Budgets in seconds."""

TEXTS: dict[str, Callable[[], str]] = {
    "one line of 1 MB": lambda: "0123456789, " * 87_000,
    "one word of 1 MB": lambda: "x" * 1_048_576,
    "one line, wide": lambda: "漢字 " * 350_000,
    "one line, controls": lambda: "a\x1b\u202e " * 260_000,
    "50,000 lines": lambda: "".join(f"line {n}: {n * n}\n" for n in range(50_000)),
    "50,000 lines, wide": lambda: "".join(f"行 {n}: {n * n}\n" for n in range(50_000)),
    "nested brackets": lambda: "[" * 500_000 + "]" * 500_000,
}
SURFACES = {"source": "", "input": "i", "prompt": "p", "reply": "r", "reasoning": "R"}
"""Where a text is alone large, and the key that shows it alone."""


class Cost(NamedTuple):
    """What one item cost, in seconds."""

    paint: float
    """From the key to a painted screen."""
    freeze: float
    """The longest time in which the event loop did not come round."""
    done: float
    """Until all of it is laid out."""
    page: float
    """The slowest page."""


def large_audit(folder: Path) -> Path:
    """Make an audit file with a small item, one for each text and surface, and large states and outputs."""
    tasks = [_task("small", "output", oracle="1", prompt={"user": "?"})]
    responses = [_reply("small", "output", "2", reasoning="none")]
    for text_name, make in TEXTS.items():
        text = make()
        for surface in SURFACES:
            case = f"{text_name} · {surface}"
            texts: dict[str, object] = {surface: text} if surface in ("source", "input") else {}
            prompt = {"user": text if surface == "prompt" else "?"}
            task = _task(case, "output", oracle="1", prompt=prompt)
            tasks.append(task | texts)
            reply: dict[str, object] = {"response": text} if surface == "reply" else {}
            response = _reply(case, "output", "2", reasoning=text if surface == "reasoning" else "none")
            responses.append(response | reply)
        case, middle = f"{text_name} · oracle", len(text) // 2
        tasks.append(_task(case, "output", oracle=text))
        responses.append(_reply(case, "output", text[:middle] + "Z" + text[middle:]))
    for name, target, oracle, answer in _states():
        tasks.append(_task(name, "state", target=target, oracle=oracle))
        responses.append(_reply(name, "state", "", response=answer))
    return audit_of(folder, tasks, responses)


def _states() -> Iterator[tuple[str, str, str, str]]:
    """Yield name, target, oracle and reply of 6,700 fields or lines of which one, a tenth or all differ."""
    for name, every in (("one", 6_700), ("a tenth", 10), ("all", 1)):
        fields = {f"field_{n}": n * 7919 for n in range(6_700)}
        wrong = {key: value + (n % every == 0) for n, (key, value) in enumerate(fields.items())}
        yield f"6,700 fields, {name} differ", "state", json.dumps(fields), _output(json.dumps(wrong))
        lines = [json.dumps({"i": n, "total": n * 7919}) for n in range(6_700)]
        other = [line.replace("total", "sum") if n % every == 0 else line for n, line in enumerate(lines)]
        yield f"6,700 checkpoint lines, {name} differ", "output", "\n".join(lines), _output("\n".join(other))
    rows = [{"i": n, "cells": [n] * 40} for n in range(6_700)]
    yield (
        "6,700 rows, the first is missing",
        "state",
        json.dumps({"rows": rows}),
        _output(json.dumps({"rows": rows[1:]})),
    )


def _output(text: str) -> str:
    return json.dumps({"output": text})


async def _key(pilot: Pilot[int], key: str) -> float:
    """Press a key and wait until the screen is painted; return how long that took."""
    app = pilot.app
    assert isinstance(app, ReviewApp)
    began = perf_counter()
    app.post_message(Key(key, key_to_character(key)))
    taken = asyncio.Event()
    app.call_later(taken.set)
    await taken.wait()
    while app.is_busy:
        await asyncio.sleep(0)
    app.screen._compositor.render_strips()
    return perf_counter() - began


async def _longest_gap(stop: asyncio.Event) -> float:
    longest, before = 0.0, perf_counter()
    while not stop.is_set():
        await asyncio.sleep(0.001)
        longest, before = max(longest, perf_counter() - before), perf_counter()
    return longest


async def measure(pilot: Pilot[int], keys: list[str]) -> Cost:
    """Measure the first of some keys that shows something else, then pages in what has the focus."""
    stop = asyncio.Event()
    gaps = asyncio.create_task(_longest_gap(stop))
    began = perf_counter()
    paint = max([await _key(pilot, key) for key in keys])
    await settle(pilot)
    done = perf_counter() - began
    stop.set()
    pages = [await _key(pilot, "pagedown") for _ in range(_PAGES)]
    return Cost(paint, await gaps, done, max(pages))


async def measure_all(session: ReviewSession) -> dict[str, Cost]:
    """Measure every item, by its case; what is alone large in it has the focus."""
    costs = {}
    async with reviewing(session) as pilot:
        screen = screen_of(pilot)
        gc.freeze()  # as before a review
        await _key(pilot, "j")
        for index in range(len(session)):
            case = session.item(index).key.case
            surface = case.rpartition(" · ")[2]
            await settle(pilot)
            screen.set_focus(screen.panes.source if surface == "source" else screen.panes.comparison)
            alone = SURFACES.get(surface, "")
            costs[case] = await measure(pilot, ["j" if index else "k", *alone])
            await _key(pilot, "escape")
    return costs


def report(name: str, cost: Cost, floor: Cost) -> str:
    """Write one line of the table."""
    cells = [f"{value * 1e3:8.1f} {value / least:6.1f}x" for value, least in zip(cost, floor, strict=True)]
    budgets = {"paint": _PAINT, "freeze": _PAINT, "page": _PAGE}
    over = [word for word, most in budgets.items() if getattr(cost, word) > most]
    return f"{name:42} {'  '.join(cells)}  {'over: ' + ', '.join(over) if over else ''}"


def main() -> None:
    """Print the table."""
    with TemporaryDirectory() as folder:
        path = large_audit(Path(folder))
        with closing(open_session(path, "lm", QueueWish(where="", order="import"))) as session:
            costs = asyncio.run(measure_all(session))
    heads = "  ".join(f"{head:>16}" for head in Cost._fields)
    print(f"{'milliseconds, and multiples of the small':42} {heads}")
    for name, cost in costs.items():
        print(report(name, cost, costs["small"]))


if __name__ == "__main__":
    main()
