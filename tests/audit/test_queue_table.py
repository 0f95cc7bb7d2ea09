"""The queue as a table: asked and closed by several threads at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from auditor.audit.queue_table import QueueTable
from auditor.errors import AuditorError
from tests.builders import make_audit

_ROUNDS = 25


def close_while_asked(path: Path) -> None:
    """Close tables in the middle of what other threads ask them."""
    for _ in range(_ROUNDS):
        table, asked = QueueTable(path, None), threading.Event()

        def ask(table: QueueTable = table, asked: threading.Event = asked) -> None:
            with suppress(AuditorError, sqlite3.Error):
                for text in ("setting:", "case:", "mode.computed:", "state:", "prediction:a") * 3:
                    asked.set()
                    table.complete(text)

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        asked.wait()
        with suppress(AuditorError, sqlite3.Error):
            table.known()
        table.close()
        for thread in threads:
            thread.join()


def test_a_table_that_is_closed_under_a_question_takes_nothing_down(tmp_path: Path) -> None:
    path = make_audit(tmp_path / "a.db")
    # A program of its own: what went wrong here ended the whole process.
    done = subprocess.run([sys.executable, "-m", __name__, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed\n", "")


if __name__ == "__main__":
    close_while_asked(Path(sys.argv[1]))
    print("closed")
