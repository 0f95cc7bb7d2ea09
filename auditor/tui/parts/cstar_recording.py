"""Runs a C* program beside the keys, in the thread of a worker, which tells what it has as a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from auditor.audit.cstar_item import LineMark, find_mark
from auditor.audit.cstar_replay import CStarReplay, CStarSubject, record_run
from auditor.errors import AuditorError
from auditor.text import counted, visible_line

if TYPE_CHECKING:
    from textual.screen import Screen


class RulesRecorded(Message):
    """A run was recorded."""

    def __init__(self, subject: CStarSubject, replay: CStarReplay) -> None:
        super().__init__()
        self.subject, self.replay = subject, replay


class RulesNotRecorded(Message):
    """There is no run."""

    def __init__(self, subject: CStarSubject, words: str, mark: LineMark | None = None) -> None:
        """`words` and `mark` say why, and where."""
        super().__init__()
        self.subject, self.words, self.mark = subject, words, mark


class _StoppedError(Exception):
    """Nobody waits for this run any more."""


class CStarRecording:
    """One run at a time; another one takes the place of the one before."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self.subject: CStarSubject | None = None
        """What runs now; None = nothing."""
        self._steps = 0

    @property
    def words(self) -> str:
        """Say how far the program is."""
        return f"The program runs … {counted(self._steps, 'step')} so far."

    def begin(self, subject: CStarSubject) -> None:
        """Run a program; the screen is told what came of it, unless it is stopped."""
        self.subject, self._steps = subject, 0
        self._screen.run_worker(
            lambda: self._run(subject), group="recording", exclusive=True, exit_on_error=False, thread=True
        )

    def stop(self) -> None:
        """Stop the program that runs; nothing more is told of it."""
        self.subject = None

    def _run(self, subject: CStarSubject) -> None:
        def check(steps: int) -> None:
            if self.subject is not subject:
                raise _StoppedError
            self._steps = steps

        message: Message
        try:
            message = RulesRecorded(subject, record_run(subject, check))
        except _StoppedError:
            return
        except AuditorError as error:
            words = f"The text is no C* program: {error}"
            message = RulesNotRecorded(subject, words, find_mark(subject.program))
        except Exception as error:
            words = f"This failed: {type(error).__name__}: {visible_line(str(error), 300)}"
            message = RulesNotRecorded(subject, words)
        if self.subject is subject:
            self._screen.post_message(message)
