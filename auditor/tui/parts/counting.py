"""Counts the figures of the overview beside the keys: in the thread of a worker, which tells each piece it has."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.worker import Worker, get_current_worker

from auditor.audit.overview import Overview, count_overview
from auditor.errors import AuditorError
from auditor.store.file import open_for_reading, translate
from auditor.text import visible_line
from auditor.tui.parts.overviewing import Stamp, stamp_of

if TYPE_CHECKING:
    from textual.screen import Screen

_STEPS = 50_000
"""Of SQLite's machine, between two looks at whether to stop: some milliseconds."""


class Counted(Message):
    """Some pieces are counted, or all."""

    def __init__(self, found: Overview, stamp: Stamp) -> None:
        super().__init__()
        self.found, self.stamp = found, stamp


class CountingFailed(Message):
    """The file could not be read."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class _StoppedError(Exception):
    """The screen was left, or the counting stopped."""


class Counting:
    """Begins a worker of a screen, which ends with it."""

    def __init__(self, screen: Screen[None], path: Path, hidden: Collection[str]) -> None:
        self._screen = screen
        self._path = path
        self._hidden = hidden
        self._worker: Worker[None] | None = None

    def begin(self) -> None:
        """Count from the first piece on; what was being counted is given up."""
        self._worker = self._screen.run_worker(
            partial(self._run), group="counting", exclusive=True, exit_on_error=False, thread=True
        )

    def stop(self) -> None:
        """Stop counting; nothing is told any more."""
        if self._worker is not None:
            self._worker.cancel()

    def _run(self) -> None:
        worker = get_current_worker()
        stamp = stamp_of(self._path)

        def report(found: Overview) -> None:
            if worker.is_cancelled:
                raise _StoppedError
            self._screen.post_message(Counted(found, stamp))

        try:
            with closing(open_for_reading(self._path)) as connection:
                connection.set_progress_handler(lambda: worker.is_cancelled, _STEPS)
                report(count_overview(connection, self._path, report, hidden=self._hidden))
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
