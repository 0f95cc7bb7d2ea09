"""Time agreement on 1,000,000 tag rows in an audit file: at once, after one more tag, and with all items read.

Run with: python -m tests.benchmarks.agreement_file [ITEMS]. Prints the times with their budgets and fails only far
beyond them, or where the kept counts are not those counted anew.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from auditor.agreement.coefficient import Coefficient, Options
from auditor.agreement.measure import measure_agreement
from auditor.audit.agree import ratings_from_audit
from auditor.audit.kept_agreement import agreement_of, kept_agreement
from auditor.codebook import find_codebook
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import now, open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.kept_agreement import kept_differences
from auditor.store.reviews import PutTags, ToggleTag
from tests.builders import make_audit

T = TypeVar("T")
ITEMS = 500_000
"""Each is tagged once by each of two people."""
ITEMS_A_TASK = 250
COLD_SECONDS, FRESH_SECONDS = 0.5, 0.005
FAR = 4
"""How many times its budget a measurement may take before it fails: machines differ."""

_NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)"


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return the seconds that work took, and what it gave."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """Return the columns of a table without its id."""
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "id"]


def copies(connection: sqlite3.Connection, table: str, count: int, **other: str) -> None:
    """Fill a table with copies of its first row; `other` are columns with SQL in which `n.i` counts from 0."""
    names = columns(connection, table)
    values = ", ".join(other.get(name, f"x.{name}") for name in names)
    connection.execute(
        f"{_NUMBERS} INSERT INTO {table} ({', '.join(names)}) SELECT {values} FROM n,"
        f" (SELECT * FROM {table} ORDER BY id LIMIT 1) x WHERE true",
        (count,),
    )


def build(path: Path, items: int) -> float:
    """Make a file in which two people tagged so many items; return the seconds that their marks took to write."""
    make_audit(path, cases=1, arms=("output",), settings=("model-0",))
    tasks = max(1, items // ITEMS_A_TASK)
    with closing(open_file(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        with transaction(connection):
            book = ensure_codebook(connection, find_codebook("execution"))
            for name in ("ana", "ben"):
                actor = Actor(ensure_annotator(connection, name), book)
                act(connection, actor, 1, PutTags(("copying",)), uuid=uuid7(), at=now())
            copies(connection, "clusters", tasks, name="'cluster ' || n.i")
            copies(connection, "cases", tasks, name="'case ' || n.i")
            copies(connection, "tasks", tasks, case_id="n.i + 2", cluster_id="n.i + 2")
            copies(connection, "settings", ITEMS_A_TASK, name="'setting ' || n.i")
            copies(
                connection,
                "responses",
                items,
                task_id=f"2 + n.i / {ITEMS_A_TASK}",
                setting_id=f"2 + n.i % {ITEMS_A_TASK}",
            )
        return timed(lambda: _mark(connection, items))[0]


def _mark(connection: sqlite3.Connection, items: int) -> None:
    """Put one of eight tags on each item by each of two people, who agree in about half of them."""
    with transaction(connection):
        tag = "1 + (n.i * 7919 + a.i * (n.i % 2) * (1 + n.i % 5)) % 8"
        people = "(SELECT 1 AS i UNION ALL SELECT 2) a"
        connection.execute(
            f"{_NUMBERS} INSERT INTO reviews (response_id, codebook_id, annotator_id, state, updated_at, event_id)"
            f" SELECT n.i + 2, 1, a.i, 'reviewed', '2026-01-01T00:00:00Z', 1 FROM n, {people}",
            (items,),
        )
        connection.execute(
            f"{_NUMBERS} INSERT INTO applied_tags (response_id, codebook_id, annotator_id, tag_id, event_id)"
            f" SELECT n.i + 2, 1, a.i, {tag}, 1 FROM n, {people}",
            (items,),
        )


def kappas(found: list[Coefficient]) -> dict[str | None, tuple[float | None, float | None]]:
    """Return value and standard error of each tag's kappa."""
    return {one.tag: (one.value, one.se) for one in found if one.statistic == "cohen_kappa" and one.tag}


def main() -> int:
    """Print each measurement beside its budget."""
    items = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.db"
        writing = build(path, items)
        print(
            f"marks of {items:,} items by 2 people, {2 * items:,} tag rows, written with their counts: {writing:.1f} s"
        )
        cold, kept = timed(lambda: kept_agreement(path, statistics=("cohen_kappa",)))
        print(f"kappa and SE of {len(kept.tags)} tags, file just opened: {1000 * cold:.1f} ms; budget {COLD_SECONDS} s")
        with closing(open_file(path)) as connection:
            actor = Actor(1, ensure_codebook(connection, find_codebook("execution")))
            seconds = []
            for item in range(2, 22):
                with transaction(connection):
                    act(connection, actor, item, ToggleTag("copying"), uuid=uuid7(), at=now())
                seconds.append(timed(lambda: agreement_of(connection, path, statistics=("cohen_kappa",)))[0])
            fresh = sorted(seconds)[len(seconds) // 2]
            print(f"the same after one more tag: {1000 * fresh:.2f} ms; budget {1000 * FRESH_SECONDS:.0f} ms")
            kept = agreement_of(connection, path, statistics=("cohen_kappa",))
            counting, differences = timed(lambda: kept_differences(connection))
        print(f"counted anew in Python, as `auditor verify` does: {counting:.1f} s; {len(differences)} differences")
        reading, ratings = timed(lambda: ratings_from_audit(path))
        measuring, full = timed(lambda: measure_agreement(ratings, Options(bootstrap="none", replicates=2)))
        print(f"all items read: {reading:.1f} s; every usual coefficient of them: {measuring:.1f} s")
        failed |= cold > FAR * COLD_SECONDS or fresh > FAR * FRESH_SECONDS or bool(differences)
        failed |= kappas(full) != kappas(kept.coefficients)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
