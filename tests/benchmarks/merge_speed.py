"""How long it takes to merge two histories of 50,000 events each of one person on two computers, and a bundle of them.

python -m tests.benchmarks.merge_speed [EVENTS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from auditor.audit.export import write_export
from auditor.audit.inspect import verify
from auditor.audit.merge import merge
from auditor.codebook import find_codebook
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import copy_file, open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.reviews import MarkReviewed, SetNote, ToggleTag
from tests.builders import make_audit

CASES, SETTINGS = 500, tuple(f"model-{number}" for number in range(10))
ITEMS = CASES * len(SETTINGS)


def work(path: Path, annotator: str, events: int, tag: str) -> None:
    """Let an annotator go through the items, one kind of mark after the other."""
    with closing(open_file(path)) as connection, transaction(connection):
        book = ensure_codebook(connection, find_codebook("execution"))
        actor = Actor(ensure_annotator(connection, annotator), book)
        for number in range(events):
            marks = (ToggleTag(tag), SetNote(f"note {number}"), MarkReviewed())
            intent = marks[number // ITEMS % len(marks)]
            at = f"2026-03-01T{number * 24 // events:02}:00:00.000Z"
            act(connection, actor, 1 + number % ITEMS, intent, uuid=uuid7(), at=at)


def timed(what: str, step: Callable[[], object]) -> None:
    """Print how long a step takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    step()
    print(f"{what:<38} {time.perf_counter() - wall:6.1f} s, {time.process_time() - cpu:6.1f} s of the processor")


def main() -> None:
    """Make two copies of an audit, let both go on, and merge them."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with TemporaryDirectory() as folder:
        one, other, third = (Path(folder) / name for name in ("one.db", "other.db", "third.db"))
        make_audit(one, cases=CASES, arms=("output",), settings=SETTINGS)
        work(one, "ana", 100, "copying")
        copy_file(one, other)
        copy_file(one, third)
        work(one, "ana", events, "copying")
        work(other, "ana", events, "arithmetic")
        timed(f"merge of {events:,} into {events:,} events", lambda: merge(one, [other]))
        timed("again", lambda: merge(one, [other]))
        timed("export of the annotations", lambda: write_export(one, "annotations", Path(folder) / "bundle"))
        timed("merge of the bundle into a fresh copy", lambda: merge(third, [Path(folder) / "bundle"]))
        assert not [problem for check in verify(third) for problem in check.problems]


if __name__ == "__main__":
    main()
