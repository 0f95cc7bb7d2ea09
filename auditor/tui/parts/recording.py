"""Runs a program under watch beside the keys: in the thread of a worker, which tells what it has as a message."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.message import Message

from auditor.audit.replay import DEFAULT_BUDGET, Budget, Replay, Sandbox, Subject, open_sandbox, record
from auditor.errors import AuditorError
from auditor.execution.program import Program
from auditor.text import visible_line

if TYPE_CHECKING:
    from textual.screen import Screen


class Recorded(Message):
    """A run was recorded."""

    def __init__(self, subject: Subject, replay: Replay) -> None:
        super().__init__()
        self.subject, self.replay = subject, replay


class RecordingFailed(Message):
    """A run could not be recorded."""

    def __init__(self, subject: Subject, words: str) -> None:
        super().__init__()
        self.subject, self.words = subject, words


class _StoppedError(Exception):
    """Nobody waits for this run any more."""


class Recording:
    """One run at a time; another one takes the place of the one before."""

    budget: ClassVar[Budget] = DEFAULT_BUDGET

    def __init__(self, screen: Screen[None], *, unsafe: bool) -> None:
        """`unsafe` runs programs also where no wall keeps them from harm."""
        self._screen = screen
        self._unsafe = unsafe
        self.subject: Subject | None = None
        """What runs now; None = nothing."""
        self._began = 0.0
        self._steps: tuple[int, int | None] = (0, None)
        self._sandbox: Sandbox | None = None

    @property
    def words(self) -> str:
        """Say how long the program has been running and how far it is, and when it is stopped at the latest."""
        seconds, sandbox = int(monotonic() - self._began), self._sandbox
        unwalled = sandbox is not None and not sandbox.protection.complete
        where = "with no wall around it" if unwalled else "in the sandbox"
        steps, total = self._steps
        so_far = f", step {steps:,}{'' if total is None else f' of {total:,}, to keep the last ones'}" if steps else ""
        return f"The program runs {where} … {seconds} s{so_far}; it is stopped after {self.budget.seconds:g} s."

    def begin(self, subject: Subject) -> None:
        """Run a program; the screen is told what came of it, unless it is stopped."""
        self.stop()
        self.subject, self._began, self._steps = subject, monotonic(), (0, None)
        self._screen.run_worker(
            lambda: self._run(subject), group="recording", exclusive=True, exit_on_error=False, thread=True
        )

    def stop(self) -> None:
        """Stop the program that runs; nothing more is told of it."""
        self.subject = None
        if (sandbox := self._sandbox) is not None:
            sandbox.abandon()

    def _run(self, subject: Subject) -> None:
        def check() -> None:
            if self.subject is not subject:
                raise _StoppedError

        def progress(steps: int, total: int | None) -> None:
            self._steps = steps, total

        try:
            with open_sandbox(unsafe=self._unsafe) as sandbox:
                sandbox.run(Program.python("pass"))  # from now on there is something to abandon
                self._sandbox = sandbox
                check()
                found = record(subject, sandbox, budget=self.budget, check=check, progress=progress)
                message: Message = Recorded(subject, found)
            check()
        except _StoppedError:
            return
        except AuditorError as error:
            message = RecordingFailed(subject, str(error))
        except Exception as error:
            message = RecordingFailed(subject, f"This failed: {type(error).__name__}: {visible_line(str(error), 300)}")
        finally:
            self._sandbox = None
        if self.subject is subject:
            self._screen.post_message(message)
