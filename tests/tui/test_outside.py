"""Lending the terminal to another program: what signals do before it begins, as it begins and while it runs."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from auditor.tui.outside import Ended, heeding_signals


def test_what_is_asked_to_end_before_another_program_begins_does_not_begin_it(tmp_path: Path) -> None:
    made = tmp_path / "made"
    before = signal.getsignal(signal.SIGTERM)
    with heeding_signals() as other:
        os.kill(os.getpid(), signal.SIGTERM)
        assert other.run_to_end(["touch", str(made)], None) == Ended(by_request=True)
    assert not made.exists() and signal.getsignal(signal.SIGTERM) == before


def test_what_is_asked_to_end_as_another_program_begins_ends_it() -> None:
    asks = f"import os, signal, time\nos.kill({os.getpid()}, signal.SIGHUP)\ntime.sleep(600)"
    with heeding_signals() as other:
        ended = other.run_to_end([sys.executable, "-c", asks], None)
    assert ended == Ended(-signal.SIGTERM, by_request=True)


def test_ctrl_c_is_left_to_the_other_program() -> None:
    asks = f"import os, signal\nos.kill({os.getpid()}, signal.SIGINT)"
    with heeding_signals() as other:
        assert other.run_to_end([sys.executable, "-c", asks], None) == Ended()
