"""Many people review one file at once, each in a terminal of their own; then what was painted is held against the file.

usage: python -m tests.benchmarks.many_reviews [--people 8] [--seconds 60] [--overlap 2] [--items 4000]

Each types a tag, waits until it is painted, types the key for "reviewed", waits for the next item, and so on. Checked
afterwards: every painted mark is in the file, no item has more people than wanted, nothing is held any more, and
`auditor verify` passes. Printed: the marks, and the time from a key to its paint. It fails only where a check fails.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from auditor.codebook import find_codebook
from tests.builders import make_audit
from tests.pty.terminal import PATIENCE, Terminal

TAGS = ("1", "2", "3", "5")
SETTINGS = 40
BUSY, NOTHING = b"Another process is writing", b"Nothing is free"


class Work(NamedTuple):
    """What one person did, as the terminal showed it."""

    name: str
    marks: dict[int, str]
    """The tag by the item's place in the queue."""
    seconds: list[float]
    """From each key to its paint."""
    waits: int
    """How often no item could be taken at once, because somebody wrote."""
    beside: bool
    """Whether a mark was kept beside the file for a while."""
    exit_code: int | None


class Typist(Terminal):
    """A terminal whose screen nobody reads back: what is written is looked through as it comes."""

    def _paint(self, data: bytes) -> None:
        pass

    def wait_for_bytes(self, pattern: re.Pattern[bytes], since: int) -> re.Match[bytes]:
        """Read until a pattern was written after a place; raises AssertionError when it never is."""
        end = time.monotonic() + PATIENCE
        while (found := pattern.search(self.written, since)) is None:
            assert time.monotonic() < end, f"{pattern.pattern!r} never came"
            self.read(0.05)
        return found


def tag_names() -> dict[str, str]:
    """Return the names of the tags that are typed, by their keys."""
    return {tag.key: tag.name for tag in find_codebook("execution").tags if tag.key in TAGS}


def review_for(path: str, name: str, overlap: int, items: int, seconds: float) -> Work:
    """Tag items for some seconds, or until nothing is free."""
    chance, names = random.Random(name), tag_names()
    marks: dict[int, str] = {}
    times: list[float] = []
    waits, key = 0, ""
    command = [sys.executable, "-m", "auditor", "review", path, "--annotator", name, "--overlap", str(overlap)]
    with Typist([*command, "--where", "", "--order", "import"]) as terminal:
        total = f"{items:,}".encode()
        place = _number(terminal.wait_for_bytes(re.compile(rb"([\d,]+) of %s\b" % total), 0)[1])
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            key = chance.choice([one for one in TAGS if one != key])
            shown = re.compile(re.escape(f"[{key} {names[key]}]".encode()))
            times.append(_type(terminal, key, shown)[0])
            elsewhere = rb"(?<![\d,])(?!%s of)([\d,]+) of %s\b" % (f"{place:,}".encode(), total)
            following = re.compile(elsewhere + rb"|" + BUSY + rb"|" + NOTHING)
            marks[place] = names[key]
            took, found = _type(terminal, " ", following)
            times.append(took)
            if found[0] == BUSY:
                waits += 1
                # The review goes on by itself.
                found = terminal.wait_for_bytes(re.compile(elsewhere + rb"|" + NOTHING), found.end())
            if found[0] == NOTHING:
                break
            place = _number(found[1])
        # Marks that wait beside the file are brought in before the review is left.
        terminal.wait_for_quiet()
        unsaved = max(terminal.written.rfind(words.encode()) for words in ("NOT SAVED", "saving …"))
        terminal.wait_for_bytes(re.compile("saved ✓".encode()), max(0, unsaved))
        terminal.type("q")
        terminal.wait_for_exit()
        return Work(name, marks, times, waits, b"kept beside the file" in terminal.written, terminal.exit_code)


def _number(shown: bytes) -> int:
    return int(shown.replace(b",", b""))


def _type(terminal: Typist, key: str, shown: re.Pattern[bytes]) -> tuple[float, re.Match[bytes]]:
    """Type a key, wait for its paint, and return how many seconds that took, and what was found."""
    since, began = len(terminal.written), time.monotonic()
    terminal.type(key)
    found = terminal.wait_for_bytes(shown, since)
    return time.monotonic() - began, found


def problems_of(path: Path, done: Sequence[Work], overlap: int) -> list[str]:
    """Hold what was painted against the file; return what is wrong."""
    problems = [f"{one.name}'s review ended with {one.exit_code}" for one in done if one.exit_code != 0]
    with closing(sqlite3.connect(path)) as connection:
        stored = dict(
            ((name, item), tags)
            for name, item, tags in connection.execute(
                "SELECT a.name, w.response_id, (SELECT group_concat(k.name) FROM applied_tags p JOIN tags k"
                " ON k.id = p.tag_id WHERE p.response_id = w.response_id AND p.annotator_id = w.annotator_id)"
                " FROM reviews w JOIN annotators a ON a.id = w.annotator_id WHERE w.state = 'reviewed'"
            )
        )
        ids = {tag.name: tag.id for tag in find_codebook("execution").tags}
        (left,) = connection.execute("SELECT count(*) FROM leases").fetchone()
    for one in done:
        # In the order of import an item's place is its row id.
        lost = [place for place, tag in one.marks.items() if stored.get((one.name, place)) != ids[tag]]
        problems += [f"{one.name}'s mark on item {place} is not in the file as it was painted" for place in lost]
    people = Counter(item for _, item in stored)
    problems += [f"item {item} has {number} reviewers" for item, number in people.items() if number > overlap]
    problems += [f"{left} items are still held"] if left else []
    verified = subprocess.run([sys.executable, "-m", "auditor", "verify", str(path)], capture_output=True, text=True)
    problems += [] if verified.returncode == 0 else [f"verify: {verified.stdout}{verified.stderr}"]
    return problems


def main() -> int:
    """Let people review, check what came of it, and print what it was like."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--people", type=int, default=8)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--overlap", type=int, default=2)
    options.add_argument("--items", type=int, default=4000)
    given = options.parse_args()
    names = [f"person {number}" for number in range(1, given.people + 1)]
    with TemporaryDirectory(prefix="auditor-many-reviews-") as folder:
        settings = [f"model-{number}" for number in range(SETTINGS)]
        cases = max(1, given.items // (2 * SETTINGS))
        path = make_audit(Path(folder) / "audit.db", cases=cases, settings=settings)
        items = 2 * SETTINGS * cases
        with ProcessPoolExecutor(given.people, mp_context=get_context("spawn")) as pool:
            asked = [pool.submit(review_for, str(path), name, given.overlap, items, given.seconds) for name in names]
            done = [one.result() for one in asked]
        problems = problems_of(path, done, given.overlap)
    times = sorted(second for one in done for second in one.seconds)
    marks = sum(len(one.marks) for one in done)
    print(f"{given.people} reviews of {items:,} items with overlap {given.overlap} for {given.seconds:g} s")
    print(f"{marks:,} items reviewed; {min(len(one.marks) for one in done):,} by the slowest person")
    print(
        f"from key to paint: half within {1000 * times[len(times) // 2]:.0f} ms,"
        f" 95 of 100 within {1000 * times[len(times) * 95 // 100]:.0f} ms, longest {1000 * times[-1]:.0f} ms"
    )
    print(f"no item could be taken at once {sum(one.waits for one in done)} times, because somebody wrote")
    print(f"marks were kept beside the file for a while in {sum(one.beside for one in done)} reviews")
    print("\n".join(problems) or "every painted mark is in the file, no item has too many people, and verify passes")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
