"""Processes that build cases end with the process that made them, however that ends."""

from __future__ import annotations

import os
import subprocess
import sys

_MAKER = """
import os, signal
from auditor.studies.exact_output.executors import local_processes

if __name__ == "__main__":
    with local_processes(1) as pool:
        pool.submit(os.getpid).result()
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_a_process_that_is_killed() -> None:
    reading, writing = os.pipe()
    # The workers hold the standard output of their maker: it is at its end when the last of them is gone.
    maker = subprocess.Popen([sys.executable, "-c", _MAKER], stdout=writing, stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading, "rb") as output:
        assert maker.wait() == -9
        assert output.read() == b""
