"""Writing a probe in a real terminal: nothing that was typed is lost when the program is killed, nor what was saved."""

from __future__ import annotations

import signal
import time
from contextlib import closing
from pathlib import Path

from auditor.audit.inspect import verify
from auditor.audit.own_probes import list_probes
from auditor.store.file import open_for_reading
from tests.pty.test_review import review
from tests.tui.core_audit import core_audit
from tests.walls import need_wall

WHERE = ("--where", "case:longest-run/loops/t03 setting:hasty", "--order", "import")
ASKED = "What a model is asked"


def test_a_probe_survives_a_kill_half_written_and_saved(tmp_path: Path) -> None:
    need_wall()
    path = core_audit(tmp_path)
    with review(path, *WHERE) as terminal:
        terminal.type_until('"', ASKED)
        terminal.wait_for("15 proposed")
        terminal.type_until("enter", "Write this probe")
        terminal.wait_for("kind: value-at-exit")
        terminal.type(*" Half")
        terminal.wait_for("Half")
        end = time.monotonic() + 30
        while time.monotonic() < end and not any("Half" in one.read_text() for one in tmp_path.glob("*.draft-*.json")):
            terminal.read(0.02)
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
    with review(path, *WHERE) as terminal:
        terminal.wait_for("Unfinished probe")
        terminal.type_until('"', ASKED)
        terminal.wait_for("n goes on with it")
        terminal.type_until("n", "Half")
        terminal.type(*" a word", "enter")
        terminal.wait_for("written.")
        terminal.signal(signal.SIGKILL)
        terminal.wait_for_exit()
        assert terminal.forbidden() == []
    with closing(open_for_reading(path)) as connection:
        (record,) = list_probes(connection)
    assert record.probe.question.endswith("Half a word") and record.annotator == "lm"
    assert [problem for check in verify(path) for problem in check.problems] == []
    assert list(tmp_path.glob("*.draft-*.json")) == []
