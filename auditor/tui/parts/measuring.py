"""Measures agreement beside the keys: in threads of workers, which tell what they have as messages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from textual.message import Message
from textual.worker import get_current_worker

from auditor.audit.agreement_overview import (
    Ground,
    PairReport,
    Values,
    measure_pair,
    measure_tags,
    read_ground,
    read_kept,
)
from auditor.errors import AuditorError
from auditor.text import visible_line

if TYPE_CHECKING:
    from textual.screen import Screen

_REPORT_SECONDS = 0.1
"""Between two messages about a matrix that grows."""
_REST_SECONDS, _NAP_SECONDS = 0.15, 0.02
"""How long a pair is chosen before it is measured with intervals."""


class GroundRead(Message):
    """The file was read; None = nobody has reviewed anything."""

    def __init__(self, ground: Ground | None) -> None:
        super().__init__()
        self.ground = ground


class KeptRead(Message):
    """What the file keeps counts of was read; what was said comes later."""

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        self.ground = ground


class MatrixMeasured(Message):
    """Some pairs of the annotators of a ground are measured."""

    def __init__(self, ground: Ground, values: Values) -> None:
        super().__init__()
        self.ground, self.values = ground, values


class PairMeasured(Message):
    """Some or all tags of a pair are measured."""

    def __init__(self, ground: Ground, pair: tuple[str, str], report: PairReport, *, complete: bool) -> None:
        super().__init__()
        self.ground, self.pair, self.report, self.complete = ground, pair, report, complete


class MeasuringFailed(Message):
    """Nothing could be read or measured."""

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


class _StoppedError(Exception):
    """Another question has taken this one's place."""


class Measuring:
    """Begins workers of a screen and remembers nothing of what they found."""

    def __init__(self, screen: Screen[None], path: Path, codebook: str) -> None:
        self._screen = screen
        self._path = path
        self._codebook = codebook

    def read(self, *, first: bool = False) -> None:
        """Read the file, in a worker; the screen is told what was said, the first time also what the file keeps."""
        self._begin("ground", partial(self._read, first))

    def _read(self, first: bool) -> None:
        if first and (kept := read_kept(self._path, self._codebook)) is not None:
            self._screen.post_message(KeptRead(kept))
        self._screen.post_message(GroundRead(read_ground(self._path, self._codebook)))

    def measure_matrix(self, ground: Ground) -> None:
        """Measure all pairs of annotators, in a worker."""
        self._begin("matrix", partial(self._measure_matrix, ground))

    def measure_pair(self, ground: Ground, pair: tuple[str, str]) -> None:
        """Measure all tags of a pair with intervals, in a worker; the pair before is given up."""
        self._begin("pair", partial(self._measure_pair, ground, pair))

    def _begin(self, group: str, work: Callable[[], object]) -> None:
        self._screen.run_worker(partial(self._run, work), group=group, exclusive=True, exit_on_error=False, thread=True)

    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except _StoppedError:
            return
        except AuditorError as error:
            self._screen.post_message(MeasuringFailed(str(error)))
        except Exception as error:
            words = f"This failed: {type(error).__name__}: {visible_line(str(error), 300)}"
            self._screen.post_message(MeasuringFailed(words))

    def _measure_matrix(self, ground: Ground) -> None:
        worker, found, told = get_current_worker(), Values(), monotonic()
        for first, second in combinations(ground.names, 2):
            if worker.is_cancelled:
                return
            found[frozenset((first, second))] = measure_pair(ground, first, second)
            if monotonic() - told > _REPORT_SECONDS:
                self._screen.post_message(MatrixMeasured(ground, dict(found)))
                told = monotonic()
        self._screen.post_message(MatrixMeasured(ground, found))

    def _measure_pair(self, ground: Ground, pair: tuple[str, str]) -> None:
        worker = get_current_worker()
        # Somebody who goes from cell to cell waits for none of them.
        rested = monotonic() + _REST_SECONDS
        while monotonic() < rested:
            if worker.is_cancelled:
                return
            sleep(_NAP_SECONDS)

        def report(so_far: PairReport, *, complete: bool = False) -> None:
            if worker.is_cancelled:
                raise _StoppedError
            self._screen.post_message(PairMeasured(ground, pair, so_far, complete=complete))

        report(measure_tags(ground, *pair, report), complete=True)
