"""Measure `auditor review` on a file of a million responses, beside an empty Textual app of as many widgets.

usage: python -m tests.benchmarks.review_speed [--responses 1000000] [--audit FILE] [--order O] [--rounds 5] [--keys 60]

Without --audit it makes a file from the bundled sample run, each response so often as it takes: some minutes for a
million. A file that is given is copied first. Prints times at 120x40 in a pseudo-terminal; a key is painted when
nothing has been written for 80 ms after its last byte. It fails only far beyond the budgets.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from auditor.audit.demo import sample_runs
from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import QueueWish, open_session
from auditor.tui.app import ReviewApp
from tests.pty.terminal import Terminal

QUIET_SECONDS = 0.08
UNPAINTED_SECONDS = 1.0
FAILS_ABOVE = 3
"""Times a budget."""
SLOW_FILTER = "nosuchwordanywhere"
GROWING = re.compile(r" of [\d,]+\+")
READY = re.compile(r"[\d,]+ of [\d,]+")
WHOLE = re.compile(r"[\d,]+ of [\d,]+.*─ Oracle .*─ Reply .*\? help", re.DOTALL)
"""Of a review: the place in the queue, the panes of the first item, and the last row of the screen."""

EMPTY_APP = """
import sys
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("1 of 1")
        for _ in range(int(sys.argv[1]) - 1):
            yield Static("")
Empty().run()
"""


class Clocked(Terminal):
    """A terminal that takes bytes in as they come and works out the screen only when it is asked for."""

    def __init__(self, command: Sequence[str]) -> None:
        self.started = time.perf_counter()
        self._later = bytearray()
        super().__init__(command)

    @property
    def text(self) -> str:
        self._stream.feed(bytes(self._later))
        self._later.clear()
        return super().text

    def _take(self, data: bytes) -> None:
        self._later += data

    def seconds_to(self, shown: re.Pattern[str]) -> float:
        """Return the seconds from the start to the first screen that shows something."""
        while not shown.search(self.text):
            if not self.read(UNPAINTED_SECONDS) and time.perf_counter() - self.started > 120:
                raise SystemExit(f"nothing came; the screen is\n{self.text}")
        return time.perf_counter() - self.started

    def paint(self, *keys: str) -> tuple[float, float] | None:
        """Send keys; return the seconds to the first and to the last byte of what they paint, or None for nothing."""
        sent = time.perf_counter()
        self.type(*keys)
        if not self.read(UNPAINTED_SECONDS):
            return None
        first = last = time.perf_counter()
        while self.read(QUIET_SECONDS):
            last = time.perf_counter()
        return first - sent, last - sent

    def settle(self) -> None:
        """Wait until nothing is written any more."""
        while self.read(QUIET_SECONDS):
            pass

    def processor_seconds(self) -> float:
        """Return the processor seconds of the program until now, all threads of it."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_memory(self) -> float:
        """Return the most MB that the program has had in memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]  # Linux always says so


Painted = dict[str, list[tuple[float, float] | None]]
"""By key: what `Clocked.paint` returned."""


class Times(NamedTuple):
    """What some keys took, in seconds; None = nothing was painted."""

    label: str
    values: list[tuple[float, float] | None]

    def __str__(self) -> str:
        done = sorted(value[1] for value in self.values if value)
        if not done:
            return f"{self.label:46} {len(self.values):4} keys, none painted"
        shown = (done[min(len(done) - 1, int(share * len(done)))] for share in (0.5, 0.95, 1))
        times = "".join(f"{1e3 * value:9.1f}" for value in shown)
        return f"{self.label:46}{times}{len(self.values):7}{self.values.count(None):11}"

    @property
    def p95(self) -> float:
        done = sorted(value[1] for value in self.values if value)
        return done[min(len(done) - 1, int(0.95 * len(done)))] if done else float("inf")


def write_run(folder: Path, count: int) -> Path:
    """Write a run directory of at least so many responses: those of the bundled run, each as many samples."""
    source = sample_runs()["exact-output"]
    folder.mkdir(parents=True)
    records = [json.loads(line) for line in (source / "responses.jsonl").read_text(encoding="utf-8").splitlines()]
    of_cell: dict[tuple[str, ...], list[dict[str, object]]] = {}
    for record in records:
        of_cell.setdefault(tuple(record[name] for name in ("study", "case", "arm", "setting")), []).append(record)
    samples = -(-count // len(of_cell))
    head = re.sub(r"(?m)^samples = .*\n", "", (source / "run.toml").read_text(encoding="utf-8"))
    (folder / "run.toml").write_text(head.replace("[[study]]\n", f"[[study]]\nsamples = {samples}\n"))
    for name in ("tasks.jsonl", "settings.jsonl"):
        shutil.copy(source / name, folder / name)
    with (folder / "responses.jsonl").open("w", encoding="utf-8") as lines:
        for sample in range(samples):
            for cell in of_cell.values():
                lines.write(json.dumps({**cell[sample % len(cell)], "sample": sample}) + "\n")
    return folder


def make_audit(folder: Path, count: int) -> Path:
    """Make a graded audit file of so many responses."""
    path = folder / "large.db"
    load(path, [write_run(folder / "run", count)], LoadOptions())
    grade_file(path)
    return path


def count_widgets(path: Path) -> int:
    """Count the widgets of the review screen."""

    async def count() -> int:
        with closing(open_session(path, "counting", QueueWish(order="import"))) as session:
            app = ReviewApp(session)
            async with app.run_test(size=(120, 40)) as pilot:
                await pilot.pause()
                return sum(1 for _ in app.screen.walk_children())

    return asyncio.run(count())


def review(path: Path, order: str) -> Clocked:
    """Start a review of a file as a new annotator would."""
    options = ["--annotator", f"ann-{time.monotonic_ns()}", "--order", order, "--codebook", "execution"]
    return Clocked([sys.executable, "-m", "auditor", "review", str(path), *options])


def measure_start(path: Path, order: str, widgets: int, rounds: int) -> tuple[float, float]:
    """Return the least seconds until a review shows its first item and an empty app its first paint, in turn."""
    ours, empty = [], []
    # The first round is not counted: it compiles the modules, as an installation does.
    for _ in range(1 + rounds):
        with Clocked([sys.executable, "-c", EMPTY_APP, str(widgets)]) as terminal:
            empty.append((terminal.seconds_to(READY), terminal.processor_seconds()))
        with review(path, order) as terminal:
            ours.append((terminal.seconds_to(WHOLE), terminal.processor_seconds()))
    for label, found in (("review", ours), ("empty app", empty)):
        wall, processor = zip(*found[1:], strict=True)
        print(f"start of {label:10} seconds {_list(wall)}; of the processors {_list(processor)}")
    return min(ours[1:])[0], min(empty[1:])[0]


def measure_keys(path: Path, order: str, keys: int) -> tuple[list[Times], float]:
    """Tag and go on, first while items are being found and then when all are known; then use the queue."""
    during: Painted = {"1": [], "space": []}
    for _ in range(10):
        with review(path, order) as terminal:
            terminal.seconds_to(READY)
            terminal.settle()
            while GROWING.search(terminal.text) and len(during["space"]) < keys:
                for key, found in during.items():
                    found.append(terminal.paint(key))
    small = mark_on(make_audit(path.parent / "small", 1), order, keys)
    with review(path, order) as terminal:
        after = mark(terminal, keys)
        opening = []
        for _ in range(5):
            opening.append(terminal.paint("o"))
            terminal.paint("escape")
        terminal.type("o")
        _wait(terminal, lambda screen: "looking for more" not in screen and "▸" in screen)
        pages = [terminal.paint(key) for key in ["pagedown"] * 15 + ["end", "home", "pagedown"] * 5]
        filters = [_filter(terminal, text) for text in ("loc<20", "sample:3", SLOW_FILTER)]
        interrupted = [terminal.paint("escape")]
        memory = terminal.peak_memory()
    times = [
        Times("tag, while items are being found", during["1"]),
        Times("space: the next item, meanwhile", during["space"]),
        Times("tag, on a file of 1,224 responses", small["1"]),
        Times("space: the next item, on that file", small["space"]),
        Times("tag, when all are known", after["1"]),
        Times("space: the next item, when all are known", after["space"]),
        Times("the queue opens", opening),
        Times("the queue pages", pages),
        Times("a filter: first answer or progress", filters),
        Times("a search is interrupted", interrupted),
    ]
    return times, memory


def mark(terminal: Clocked, keys: int) -> Painted:
    """Tag and go on when all items are known."""
    painted: Painted = {"1": [], "space": []}
    terminal.seconds_to(READY)
    terminal.settle()
    _wait(terminal, lambda screen: not GROWING.search(screen))
    for _ in range(keys):
        for key, found in painted.items():
            found.append(terminal.paint(key))
    return painted


def mark_on(path: Path, order: str, keys: int) -> Painted:
    """Do the same on another file, which says what the machine has time for."""
    with review(path, order) as terminal:
        return mark(terminal, keys)


def _filter(terminal: Clocked, text: str) -> tuple[float, float] | None:
    """Type a filter and take it; return the time to the first thing that answers it."""
    terminal.paint("/")
    terminal.paint("\x15", *text)
    found = terminal.paint("enter")
    return found and (found[0], found[0])


def _wait(terminal: Clocked, holds: Callable[[str], bool]) -> None:
    terminal.wait_for(holds, 120)


def _list(seconds: Sequence[float]) -> str:
    return " ".join(f"{value:.2f}" for value in seconds)


def main() -> int:
    """Print all of it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--responses", type=int, default=1_000_000)
    options.add_argument("--audit", type=Path)
    options.add_argument("--order", default="smallest")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--keys", type=int, default=60)
    given = options.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with TemporaryDirectory(prefix="auditor-review-speed-") as name:
        folder = Path(name)
        if given.audit:
            path = Path(shutil.copy(given.audit, folder / "large.db"))
            os.chmod(path, 0o644)
        else:
            path = make_audit(folder, given.responses)
        widgets = count_widgets(path)
        ours, empty = measure_start(path, given.order, widgets, given.rounds)
        print(f"start, the least: review {ours:.2f} s, an empty app of {widgets} widgets {empty:.2f} s")
        print(f"ratio {ours / empty:.2f}; budget 2")
        times, memory = measure_keys(path, given.order, given.keys)
    print(
        f"{'milliseconds from the key to its last byte':46}{'p50':>9}{'p95':>9}{'max':>9}{'keys':>7}{'unpainted':>11}"
    )
    print("\n".join(map(str, times)))
    print(f"budgets: a key 33 (p95), the queue 300, a filter 200; peak memory {memory:.0f} MB, budget 150")
    budgets = (0.033, 0.033, 0.033, 0.033, 0.033, 0.033, 0.3, 0.3, 0.2, 0.2)
    late = any(time.p95 > FAILS_ABOVE * budget for time, budget in zip(times, budgets, strict=True))
    return int(late or ours > FAILS_ABOVE * 2 * empty)


if __name__ == "__main__":
    sys.exit(main())
