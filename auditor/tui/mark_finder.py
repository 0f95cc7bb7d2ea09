"""Finds the marked lines of programs beside the keys: one program at a time, and each only once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from auditor.errors import AuditorError
from auditor.grading.cstar_rules import CSTAR_LANGUAGES

if TYPE_CHECKING:
    from textual.widget import Widget

    from auditor.audit.cstar_item import CStarProgram, LineMark
    from auditor.audit.review import ReviewItem

_KEPT = 200


class MarkFound(Message):
    """A program was run, or given up."""

    def __init__(self, program: CStarProgram, mark: LineMark | None, is_found: bool) -> None:
        super().__init__()
        self.program, self.mark, self.is_found = program, mark, is_found


class _NotWantedError(Exception):
    """Another program is on the screen by now."""


class MarkFinder:
    """Runs programs in a thread, the one that is on the screen; one that no longer is gives way to it."""

    def __init__(self, widget: Widget, take: Callable[[CStarProgram, LineMark | None], None]) -> None:
        """`take` is called in the event loop with what was found of a program; the widget hands `MarkFound` on."""
        self._widget = widget
        self._take = take
        self._found: OrderedDict[CStarProgram, LineMark | None] = OrderedDict()
        self._wanted: CStarProgram | None = None
        self._is_running = False

    def mark_of(self, item: ReviewItem) -> LineMark | None:
        """Return the mark of an item's program, if it is known by now; else let it be found."""
        self._wanted = None
        if item.task.language.lower() not in CSTAR_LANGUAGES:
            return None
        from auditor.audit.cstar_item import cstar_program

        try:
            program = cstar_program(item)
        except AuditorError:
            return None
        if program in self._found:
            self._found.move_to_end(program)
            return self._found[program]
        self._wanted = program
        self._begin()
        return None

    def stop(self) -> None:
        """Look for nothing more."""
        self._wanted = None

    def _begin(self) -> None:
        if self._is_running or (program := self._wanted) is None:
            return
        self._is_running = True
        self._widget.run_worker(
            lambda: self._find(program), thread=True, group="marks", exclusive=False, exit_on_error=False
        )

    def _find(self, program: CStarProgram) -> None:
        """Run a program; in a thread."""
        from auditor.audit.cstar_item import find_mark

        def check() -> None:
            if self._wanted is not program:
                raise _NotWantedError

        mark, is_found = None, True
        try:
            mark = find_mark(program, check)
        except (_NotWantedError, AuditorError):
            is_found = False
        finally:
            self._widget.post_message(MarkFound(program, mark, is_found))

    def end(self, message: MarkFound) -> None:
        """Take what a thread has found, and let it find the next one."""
        program, mark = message.program, message.mark
        self._is_running = False
        if message.is_found:
            self._found[program] = mark
            if len(self._found) > _KEPT:
                self._found.popitem(last=False)
            if self._wanted == program:
                self._wanted = None
                self._take(program, mark)
        self._begin()
