"""Looks at the runs of probes beside the keys: one item at a time, when it has been on the screen for a moment."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.message import Message

from auditor.audit.asked_probe import is_probe
from auditor.audit.subject_card import dimension_lines
from auditor.errors import AuditorError
from auditor.model import SUBJECT
from auditor.text import visible_line
from auditor.tui.marked_lines import MarkedLine, RoleSpan
from auditor.tui.window_lines import window_lines

if TYPE_CHECKING:
    from textual.widget import Widget

    from auditor.audit.probe_look import ProbeLook
    from auditor.audit.replay import Replay
    from auditor.audit.review import ReviewItem
    from auditor.execution.sandbox import Sandbox

_LINGER_SECONDS = 0.3
"""For which an item is on the screen before its program runs: who passes by needs nothing of it."""
_KEPT = 20
"""Looks that are kept; each has a run of some hundred kilobytes at most."""
_ROWS = 8
"""Steps around what is asked about, for which there is room from the start: nothing jumps when they come."""
Key = tuple[int, bytes, bool]
"""Of an item: which, what is shown of it, whether some of that is hidden."""


class ProbeLooked(Message):
    """A look at a run was taken, or given up."""

    def __init__(self, key: Key, found: ProbeLook | str | None) -> None:
        """`found` is None where nobody waits for it any more, a sentence where nothing could be run."""
        super().__init__()
        self.key, self.found = key, found


class _NotWantedError(Exception):
    """Another item is on the screen by now."""


class ProbeFinder:
    """Runs the program of the probe that is on the screen, in a thread; one that no longer is gives way to it."""

    def __init__(self, widget: Widget, take: Callable[[], None], key: str, *, runs: bool) -> None:
        """`take` is called in the event loop when there is more to show; the widget hands `ProbeLooked` on.

        `key` opens the replay. Without `runs` nothing is run unasked.
        """
        self._widget, self._take, self._key, self._runs = widget, take, key, runs
        self._found: OrderedDict[Key, ProbeLook | str] = OrderedDict()
        self._item: ReviewItem | None = None
        self._gone = threading.Event()
        """Set when the item that is looked at is not on the screen any more."""
        self._sandbox: Sandbox | None = None
        self._is_running = False

    def show_item(self, item: ReviewItem) -> None:
        """Take the item that is on the screen; what is not known of its run is looked for."""
        self.stop()
        if is_probe(item.task):
            self._item = item
            if self._may_run(item) and _key(item) not in self._found:
                self._begin()

    def _may_run(self, item: ReviewItem) -> bool:
        return self._runs and item.task.language == "python"

    def stop(self) -> None:
        """Look for nothing more."""
        self._item = None
        self._gone.set()
        if (sandbox := self._sandbox) is not None:
            sandbox.abandon()

    def lines(self, width: int) -> Sequence[MarkedLine]:
        """Return what stands below the probe that is on the screen, for so many cells; nothing for other items."""
        if (item := self._item) is None:
            return ()
        shown = []
        if self._may_run(item):
            found = self._found.get(_key(item))
            rows = [] if found is None or isinstance(found, str) else window_lines(found.rows, width)
            shown = [MarkedLine(""), *rows, *[MarkedLine("")] * (_ROWS - len(rows))]
        meanings = dimension_lines(item.task) if item.task.target == SUBJECT else []
        return [*shown, *map(_muted, ["", *meanings] if meanings else [])]

    def told(self) -> Sequence[str]:
        """Return sentences on the run of the probe on the screen, each behind the mark of its kind."""
        if (item := self._item) is None or not self._may_run(item):
            return ()
        found = self._found.get(_key(item))
        if found is None:
            return ("~ the run around what is asked about comes …",)
        if isinstance(found, str):
            return (f"! not run: {found}",)
        answer = f"{'!' if found.agrees is False else '~'} {found.answer}"
        return (answer, f"~ {found.place}; {self._key} goes there") if found.place else (answer,)

    def replay_of(self, item: ReviewItem) -> Replay | None:
        """Return the whole run of an item, if it is known."""
        found = self._found.get(_key(item))
        return None if found is None or isinstance(found, str) or not found.is_whole else found.replay

    # --- in a thread -----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._is_running or (item := self._item) is None:
            return
        self._is_running, self._gone = True, threading.Event()
        gone = self._gone
        self._widget.run_worker(
            lambda: self._look(item, gone), thread=True, group="probe", exclusive=False, exit_on_error=False
        )

    def _look(self, item: ReviewItem, gone: threading.Event) -> None:
        def check() -> None:
            if gone.is_set():
                raise _NotWantedError

        def hold(sandbox: Sandbox) -> None:
            self._sandbox = sandbox

        found: ProbeLook | str | None = None
        try:
            gone.wait(_LINGER_SECONDS)
            check()
            # What runs programs is not loaded before an item needs it.
            from auditor.audit.probe_look import look_at_probe

            found = look_at_probe(item, check, hold)
        except _NotWantedError:
            pass
        except AuditorError as error:
            found = error.message
        except Exception as error:  # border: a worker's error is a sentence, never the end of the review
            found = f"this failed: {type(error).__name__}: {visible_line(str(error), 300)}"
        finally:
            self._sandbox = None
            self._widget.post_message(ProbeLooked(_key(item), None if gone.is_set() else found))

    def end(self, message: ProbeLooked) -> None:
        """Take what a thread has found, and look at what is on the screen now."""
        self._is_running = False
        if message.found is not None:
            self._found[message.key] = message.found
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
        if (item := self._item) is None or not self._may_run(item):
            return
        if _key(item) in self._found:
            self._take()
        else:
            self._begin()


def _key(item: ReviewItem) -> Key:
    return item.response_id, item.evidence, bool(item.hidden)


def _muted(words: str) -> MarkedLine:
    text = visible_line(words, 400)
    return MarkedLine(text, spans=(RoleSpan(0, len(text), "muted"),))
