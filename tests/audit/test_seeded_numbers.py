"""The same data give the same numbers under a seed, whatever was brought into the file first."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from auditor.audit.associate import AssociateOptions, associate
from auditor.audit.grade import grade_file
from auditor.audit.load import LoadOptions, load
from auditor.audit.regress import RegressOptions, regress
from auditor.audit.tabulate import accuracy
from auditor.audit.transitions import transitions
from auditor.store.file import open_for_reading
from tests.runs import response, task, write_run

CASES = 30


def _lines() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    draw = random.Random(3)
    tasks = [
        task(f"c{n}", arm, source=f"# {n // 2}\nprint(1)\n", oracle="1\n", measures={"steps": draw.randint(1, 99)})
        for n in range(CASES)
        for arm in "ab"
    ]
    replies = [
        response(
            f"c{n}", arm, "m", sample=sample, response="1\n" if draw.random() < 0.3 + 0.3 * (arm == "a") else "2\n"
        )
        for n in range(CASES)
        for arm in "ab"
        for sample in range(3)
    ]
    return tasks, replies


def _file(folder: Path, tasks: Sequence[dict[str, Any]], replies: Sequence[dict[str, Any]]) -> Path:
    load(folder / "a.db", [write_run(folder / "run", tasks, replies)], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


def _numbers(path: Path) -> list[Any]:
    with closing(open_for_reading(path)) as connection:
        return [*_rates(connection), *_tests(connection, path)]


def _rates(connection: sqlite3.Connection) -> list[Any]:
    paired = transitions(connection, "arm:a", "arm:b", replicates=200)
    plain = accuracy(connection, against="a", replicates=200)
    passed = accuracy(connection, pass_at=2, against="a", replicates=200)
    return [
        paired,
        *(sorted(table.cells, key=repr) for table in (plain, passed)),
        plain.differences,
        passed.differences,
    ]


def _tests(connection: sqlite3.Connection, path: Path) -> list[Any]:
    series = associate(connection, path, AssociateOptions(measures=("steps",), replicates=200)).series
    options = RegressOptions(factors=("arm",), measures=("steps",), references={"arm": "a"})
    return [sorted(series, key=repr), regress(connection, path, options).fits[0].fit]


def test_the_order_of_import_changes_no_number(tmp_path: Path) -> None:
    tasks, replies = _lines()
    plain = _numbers(_file(tmp_path / "plain", tasks, replies))
    shuffled_tasks, shuffled_replies = tasks[:], replies[:]
    random.Random(1).shuffle(shuffled_tasks)
    random.Random(2).shuffle(shuffled_replies)
    # The arms keep their order, which is that of columns.
    shuffled_tasks.sort(key=lambda one: bool(one["arm"] != "a"))
    assert _numbers(_file(tmp_path / "shuffled", shuffled_tasks, shuffled_replies)) == plain
    late = {f"c{n}" for n in range(0, CASES, 3)}
    for is_late in (True, False):
        parted = _file(
            tmp_path / "parted",
            [one for one in tasks if (one["case"] in late) == is_late],
            [one for one in replies if (one["case"] in late) == is_late],
        )
    assert _numbers(parted) == plain
