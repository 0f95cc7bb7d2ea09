"""A disputed oracle is said with both outputs above everything else that was computed, and not in a blind review."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.grade import grade_file
from auditor.audit.review import QueueWish, open_session
from auditor.audit.runnable import job_of
from auditor.execution.workers import Job
from auditor.store.executions import Execution, TaskExecution, live_task_rows, put_executions, put_task_executions
from auditor.store.file import open_file, transaction
from tests.hostile import HOSTILE
from tests.tui.conftest import audit_of
from tests.tui.driving import press, reviewing, screen_text

HOSTILE_OUTPUT = "".join(HOSTILE.values())


def disputed(folder: Path, output: str) -> Path:
    """Return an audit with one wrong reply, whose task is known to give another output than its oracle."""
    task: dict[str, object] = {
        "study": "loops",
        "case": "c",
        "arm": "output",
        "language": "python",
        "source": "print(4)\n",
    }
    task |= {"input": "", "target": "output", "oracle": "3\n"}
    reply: dict[str, object] = {
        "study": "loops",
        "case": "c",
        "arm": "output",
        "setting": "m",
        "sample": 0,
        "response": '{"output": "4"}',
    }
    file = audit_of(folder, [task], [reply])
    with closing(open_file(file)) as connection, transaction(connection):
        ((task_id, read),) = live_task_rows(connection)
        job = job_of(read)
        assert isinstance(job, Job)
        ran = Execution(job.key, "run", "CPython", "namespaces", "finished", "finished", None, True, 0.1, output)
        put_executions(connection, [ran])
        put_task_executions(connection, [TaskExecution(task_id, job.key, "disputed", "json-or-tokens")])
    grade_file(file)
    return file


@asynccontextmanager
async def looking_at(file: Path, size: tuple[int, int], *, blind: bool = False) -> AsyncIterator[Pilot[int]]:
    session = open_session(file, "ana", QueueWish(where="", blind=blind))
    try:
        async with reviewing(session, size) as pilot:
            yield pilot
    finally:
        session.close()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)])
async def test_both_outputs_are_said(tmp_path: Path, size: tuple[int, int]) -> None:
    async with looking_at(disputed(tmp_path, "4\n"), size) as pilot:
        shown = screen_text(pilot)
        assert "disputed" in shown
        assert "! oracle disputed (as predicted)" in shown
        assert "`4␊`" in shown and "`3␊`" in shown


async def test_hostile_output_is_shown_visibly(tmp_path: Path) -> None:
    async with looking_at(disputed(tmp_path, HOSTILE_OUTPUT), (120, 40)) as pilot:
        shown = screen_text(pilot)
        assert "! oracle disputed" in shown and "\x1b" not in shown and "\x07" not in shown


async def test_a_blind_review_says_nothing_of_it_before_the_reveal(tmp_path: Path) -> None:
    async with looking_at(disputed(tmp_path, "4\n"), (120, 40), blind=True) as pilot:
        assert "disputed:" not in screen_text(pilot) and "wrong-valid" not in screen_text(pilot)
        await press(pilot, "v", "v")
        assert "! oracle disputed" in screen_text(pilot)
