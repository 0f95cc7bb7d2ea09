"""Hostile programs are contained, named, and leave nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.execution.outcome import Ending
from auditor.execution.program import Limits, Program
from auditor.execution.protection import RefusedError
from auditor.execution.sandbox import Sandbox
from auditor.execution.wall import WALLS
from tests.execution.hostile_programs import HOSTILE, Hostile

TIGHT = Limits(wall=0.7, cpu=1, memory=256 << 20, file_size=4 << 20, folder=8 << 20, output=1 << 18, result=1 << 20)


def tight(hostile: Hostile) -> Limits:
    """Return limits under which a program soon does what it does; the clock is short only where it is what ends it."""
    wall = TIGHT.wall if Ending.WALL_TIME in hostile.endings else 30
    return replace(TIGHT, forks=hostile.forks, tasks=16, wall=wall)


@pytest.fixture(scope="module", params=WALLS)
def walled(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Return a sandbox behind each wall."""
    try:
        made = Sandbox(walls=(request.param,))
    except RefusedError as error:
        pytest.skip(str(error))
    with made:
        yield made


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_a_hostile_program_is_contained_and_named(walled: Sandbox, hostile: Hostile) -> None:
    run = walled.run(Program.python(hostile.source), limits=tight(hostile))
    assert run.outcome.ending in hostile.endings, run.outcome.sentence
    assert len(run.stdout) + len(run.stderr) <= TIGHT.output
    after = walled.run(Program.python("print(6 * 7)"))
    assert (after.outcome.finished, after.stdout) == (True, b"42\n")


def processes_named(mark: str) -> list[str]:
    """Return the processes of this machine that have a text in their command; forks keep that of their origin."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            command = (place / "cmdline").read_bytes()
        except OSError:
            continue  # it ended meanwhile
        if mark.encode() in command:
            found.append(place.name)
    return found


@pytest.mark.slow
def test_a_hundred_hostile_programs_leave_no_process_and_no_file(sandbox: Sandbox, tmp_path: Path) -> None:
    before = set(tmp_path.parent.iterdir())
    quick = [hostile for hostile in HOSTILE if Ending.WALL_TIME not in hostile.endings]
    with Sandbox(readable=(str(tmp_path),)) as own:
        for number in range(100):
            hostile = quick[number % len(quick)]
            run = own.run(Program.python(hostile.source), limits=tight(hostile))
            assert run.outcome.ending in hostile.endings, (hostile.name, run.outcome.sentence)
            assert (
                len(processes_named(str(tmp_path))) <= 3
            )  # what waits outside, bubblewrap's first process, the warden
    assert processes_named(str(tmp_path)) == []
    assert set(tmp_path.parent.iterdir()) == before
    assert list(tmp_path.iterdir()) == []
    assert [path for path in (Path("/evil"), Path("/usr/lib/evil")) if path.exists()] == []
