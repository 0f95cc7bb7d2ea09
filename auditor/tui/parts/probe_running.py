"""Runs an implementation to ask about its run, beside the keys: a worker's thread tells what it has as a message."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from textual.message import Message

from auditor.audit.probe_runs import ProbeCase, ProbeRun, open_run, opened_boxes
from auditor.errors import AuditorError
from auditor.execution.program import Program
from auditor.store.changes import OwnProbe
from auditor.text import visible_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.screen import Screen

    from auditor.execution.sandbox import Sandbox


class Asked(Message):
    """It is known what can be asked about a run."""

    def __init__(self, run: ProbeRun, proposals: list[OwnProbe]) -> None:
        super().__init__()
        self.run, self.proposals = run, proposals


class AskingFailed(Message):
    """Nothing can be asked."""

    def __init__(self, case: ProbeCase, words: str) -> None:
        super().__init__()
        self.case, self.words = case, words


class ProbeRunning:
    """Runs one case; nothing more is told of it once it is stopped."""

    def __init__(self, screen: Screen[None], *, unsafe: bool) -> None:
        """`unsafe` runs programs also where no wall keeps them from harm."""
        self._screen = screen
        self._unsafe = unsafe
        self._boxes: Sequence[Sandbox] = ()
        self._began = 0.0
        self.case: ProbeCase | None = None
        """What runs now; None = nothing."""

    @property
    def words(self) -> str:
        """Say how long the program has been running."""
        unwalled = any(not box.protection.complete for box in self._boxes)
        where = "with no wall around it" if unwalled else "in the sandbox"
        return f"The program runs {where}, once for each of two seeds … {int(monotonic() - self._began)} s"

    def begin(self, case: ProbeCase) -> None:
        """Run a case; the screen is told what came of it, unless it is stopped."""
        self.case, self._began = case, monotonic()
        self._screen.run_worker(
            lambda: self._run(case), group="probes", exclusive=True, exit_on_error=False, thread=True
        )

    def stop(self) -> bool:
        """Stop the program that runs; say whether there was one."""
        was = self.case is not None
        self.case = None
        for box in self._boxes:
            box.abandon()
        return was

    def _run(self, case: ProbeCase) -> None:
        try:
            with opened_boxes(unsafe=self._unsafe) as boxes:
                for box in boxes:
                    box.run(Program.python("pass"))  # from now on there is something to abandon
                self._boxes = boxes
                if self.case is not case:
                    return
                run = open_run(case, boxes)
                message: Message = Asked(run, run.proposals())
        except AuditorError as error:
            message = AskingFailed(case, str(error))
        except Exception as error:  # the last border of a worker
            message = AskingFailed(case, f"This failed: {type(error).__name__}: {visible_line(str(error), 300)}")
        finally:
            self._boxes = ()
        if self.case is case:
            self._screen.post_message(message)
