"""Several sandboxes side by side: every job is answered in its batch, and leaving ends what still runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from auditor.execution.engines import NO_COMPILER, engine_of
from auditor.execution.protection import RefusedError
from auditor.execution.workers import Job, Workers


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    try:
        made = Workers(2)
    except RefusedError as error:
        pytest.skip(f"untrusted programs cannot be contained here: {error}")
    with made:
        yield made


def test_batches_come_in_their_order_with_an_answer_for_each_job(workers: Workers) -> None:
    batches = [[Job("python", b"", b"", f"{a} * {b}") for b in range(3)] for a in range(6)]
    batches.append([Job("python", b"print(input())", b"x\n"), Job("python", b"s = 'a'", b"", "s * 2")])
    found = list(workers.run(batches))
    assert [{job for job, _ in results} for results in found] == [set(batch) for batch in batches]
    assert {(job.expression, done.output) for job, done in found[5]} == {
        (f"5 * {b}", str(5 * b).encode()) for b in range(3)
    }
    assert {done.output for _, done in found[6]} == {b"x\n", b"'aa'"}


def test_leaving_does_not_wait_for_what_runs() -> None:
    with Workers(1) as workers:
        results = workers.run([[Job("python", b"", b"", "1")], [Job("python", b"import time\ntime.sleep(30)")] * 3])
        assert next(results)[0][1].output == b"1"


def test_keys_tell_jobs_apart() -> None:
    jobs = [
        *(Job("python", b"a"), Job("c++", b"a"), Job("python", b"a", b"b"), Job("python", b"ab")),
        *(Job("python", b"a", b"", "b"), Job("python", b"a", b"", "")),
    ]
    assert len({job.key for job in jobs}) == len(jobs)
    assert Job("python", b"a").key == Job("python", b"a").key and len(jobs[0].key) == 16


def test_engines_have_versions() -> None:
    assert engine_of("python").partition(" ")[2].count(".") >= 2
    assert engine_of("c++") == NO_COMPILER or any(letter.isdigit() for letter in engine_of("c++"))
