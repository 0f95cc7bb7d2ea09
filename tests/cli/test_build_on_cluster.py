"""Building on the workers of a Dask cluster: the same bytes, and a sentence for whatever goes away meanwhile."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.cli.build_run import build_cases, run_build
from auditor.cli.build_stopping import Where
from auditor.cli.main import main
from auditor.errors import InputError
from auditor.execution.protection import RefusedError, strongest_protection
from auditor.studies.exact_output import executors
from auditor.studies.exact_output.building import BuildOptions
from auditor.studies.exact_output.executors import cluster
from auditor.studies.exact_output.run_files import RunOptions
from tests.studies.exact_output.programs import SUM, TOTAL

pytest.importorskip("distributed", reason="the extra cluster is not installed")
CASES = [{"name": f"sum-{number}", "program": TOTAL, "short": "1 2\n", "long": "1 2 3 4 5 6\n"} for number in range(4)]
SUMS = [replace(SUM, name=f"sum-{number}") for number in range(4)]


class Cluster:
    """A scheduler and two workers on the loopback interface, each a process of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)
        )
        until = time.monotonic() + 30
        while not (file.exists() and file.read_text().endswith("}")):
            assert self.scheduler.poll() is None and time.monotonic() < until, "the scheduler does not start"
        self.address: str = json.loads(file.read_text())["address"]
        self.workers = [self.start_worker() for _ in range(2)]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start one more worker."""
        return self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def wait_for_workers(self, count: int) -> None:
        """Wait until so many are there."""
        from distributed import Client

        with Client(self.address, timeout=30, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=30)

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments]
        log = self._stack.enter_context((self._folder / "log").open("ab"))
        process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, start_new_session=True)
        self._stack.callback(process.wait)
        self._stack.callback(process.kill)
        return process


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    try:
        strongest_protection()
    except RefusedError as error:
        pytest.skip(f"untrusted programs cannot be contained here: {error}")
    with ExitStack() as stack:
        made = Cluster(tmp_path_factory.mktemp("cluster"), stack)
        made.wait_for_workers(2)
        yield made


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in CASES))


def test_a_cluster_writes_the_same_bytes_as_one_process(two_workers: Cluster) -> None:
    assert main(["build", "exact-output", "cases.jsonl", "-o", "a/run", "--workers", "1"]) == 0
    assert main(["build", "exact-output", "cases.jsonl", "-o", "b/run", "--scheduler", two_workers.address]) == 0
    alone, together = ({path.name: path.read_bytes() for path in Path(name, "run").iterdir()} for name in "ab")
    assert alone == together and len(alone["tasks.jsonl"].splitlines()) == 16


def test_an_address_where_nothing_answers_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "exact-output", "cases.jsonl", "-o", "run", "--scheduler", "nonsense:::"]) == 2
    assert capsys.readouterr().err == (
        "auditor: no Dask scheduler answers at nonsense:::. "
        "Give it as the scheduler prints it, for example tcp://127.0.0.1:8786.\n"
    )
    assert not Path("run").exists()
    with pytest.raises(InputError, match="no Dask scheduler answers"), cluster("tcp://127.0.0.1:1", 0.2):
        pass


def test_an_interrupted_build_gives_the_cluster_back(two_workers: Cluster) -> None:
    def interrupt(label: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    found, stopped = build_cases(SUMS, BuildOptions(), Where(scheduler=two_workers.address), {}, interrupt)
    signal.signal(signal.SIGINT, before)
    assert stopped is not None and stopped.exit_code == 130 and 1 <= len(found) < 4
    with cluster(two_workers.address) as executor:
        assert executor.submit(sum, (1, 2)).result(30) == 3


def test_what_is_finished_stays_when_workers_and_the_scheduler_go(
    two_workers: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_LOOK_SECONDS", 0.2)
    where = Where(scheduler=two_workers.address)

    def lose_a_worker(label: str, done: int, total: int) -> None:
        if two_workers.workers and done == 1:
            two_workers.workers.pop().kill()

    found, stopped = build_cases(SUMS, BuildOptions(), where, {}, lose_a_worker)
    assert stopped is None and len(found) == 4
    found, stopped = build_cases(SUMS, BuildOptions(), where, {}, lose_a_worker)
    assert stopped is not None and stopped.exit_code == 1 and len(found) == 1
    lost = f"the Dask scheduler at {two_workers.address} does not go on: "
    assert stopped.sentence == lost + "none of its workers is left."
    with pytest.raises(InputError, match="has no workers"):
        build_cases(SUMS, BuildOptions(), where, {}, lose_a_worker)
    two_workers.start_worker()
    two_workers.wait_for_workers(1)

    def lose_the_scheduler(label: str, done: int, total: int) -> None:
        two_workers.scheduler.kill()

    verdicts, stopped = run_build(SUMS, BuildOptions(), RunOptions("run"), where, Path("run"), lose_the_scheduler)
    assert stopped is not None and stopped.exit_code == 1
    assert stopped.sentence == lost + "it is gone."
    assert 1 <= len(verdicts) < 4
    assert len(Path("run/tasks.jsonl").read_text().splitlines()) == 4 * len(verdicts)
