"""Counts figures beside the keys: in the thread of a worker, which tells each piece it has."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from textual.message import Message
from textual.worker import Worker, get_current_worker

from auditor.errors import AuditorError
from auditor.store.file import open_for_reading, translate
from auditor.text import visible_line
from auditor.tui.parts.overviewing import Stamp, stamp_of

if TYPE_CHECKING:
    from textual.screen import Screen

_STEPS = 50_000
"""Of SQLite's machine, between two looks at whether to stop: some milliseconds."""


class Figures(Protocol):
    """What is counted piece by piece."""

    @property
    def complete(self) -> bool:
        """Say whether all is counted."""

    @property
    def doing(self) -> str:
        """Return what is being counted, where that can be said."""

    def shows_what(self, before: Self) -> bool:
        """Say whether nothing is there that was not there before."""

    def over(self, before: Self) -> Self:
        """Return these pieces, and where one is not counted what it was before."""


Found = TypeVar("Found", bound=Figures)
Report = Callable[[Found], None]
"""Is given what is counted so far; it may raise to stop."""
Count = Callable[[sqlite3.Connection, Report[Found]], Found]


class Counted(Message):
    """Some pieces are counted, or all."""

    def __init__(self, found: Any, stamp: Stamp) -> None:
        super().__init__()
        self.found, self.stamp = found, stamp


class CountingFailed(Message):
    """The file could not be read."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class _StoppedError(Exception):
    """The screen was left, or the counting stopped."""


class Counting(Generic[Found]):
    """Begins a worker of a screen, which ends with it."""

    def __init__(self, screen: Screen[None], path: Path, count: Count[Found]) -> None:
        self._screen = screen
        self._path = path
        self._count = count
        self._worker: Worker[None] | None = None

    def begin(self) -> None:
        """Count from the first piece on; what was being counted is given up."""
        self._worker = self._screen.run_worker(
            self._run, group="counting", exclusive=True, exit_on_error=False, thread=True
        )

    def stop(self) -> None:
        """Stop counting; nothing is told any more."""
        if self._worker is not None:
            self._worker.cancel()

    def _run(self) -> None:
        worker = get_current_worker()
        stamp = stamp_of(self._path)

        def report(found: Found) -> None:
            if worker.is_cancelled:
                raise _StoppedError
            self._screen.post_message(Counted(found, stamp))

        try:
            with closing(open_for_reading(self._path)) as connection:
                connection.set_progress_handler(lambda: worker.is_cancelled, _STEPS)
                report(self._count(connection, report))
        except _StoppedError:
            return
        except sqlite3.Error as error:
            if not worker.is_cancelled:
                self._screen.post_message(CountingFailed(str(translate(error, self._path))))
        except AuditorError as error:
            self._screen.post_message(CountingFailed(str(error)))
        except Exception as error:
            words = f"This failed: {type(error).__name__}: {visible_line(str(error), 300)}"
            self._screen.post_message(CountingFailed(words))
