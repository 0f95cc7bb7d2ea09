"""Watch a Python program line by line with `sys.settrace`, within budgets, and record the steps in chosen windows."""

from __future__ import annotations

import _thread
import ast
import io
import os
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any, NoReturn

from auditor.execution.inside.loops import Moment
from auditor.execution.inside.python_program import Report, run_program
from auditor.execution.inside.recorder import EXCEPTION, LINE, RETURN, FrameRecord, Recorder
from auditor.execution.inside.value_text import bounded_text, derives

_TEXT_LIMIT = 2_000
"""Characters of a returned value or an exception."""
_CLOCK_EVERY = 256
_TELL_SECONDS = 0.25
_NEVER = float("inf")
Local = Callable[[types.FrameType, str, Any], Any]


class CountedOutput(io.BufferedWriter):
    """The bytes behind `sys.stdout`, counted as they are written."""

    count = 0

    def write(self, data: Any) -> int:
        """Write, and count."""
        done = super().write(data)
        self.count += done
        return done


def count_output() -> CountedOutput:
    """Put a counted stream in the place of `sys.stdout`."""
    counted = CountedOutput(io.FileIO(1, "w", closefd=False))
    errors = sys.stdout.errors or "strict"
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(counted, "utf-8", errors, "\n", write_through=True)  # type: ignore[misc]
    sys.stdout.mode = "w"  # type: ignore[misc]  # as Python itself sets it
    return counted


def variables_of(frame: types.FrameType) -> dict[str, object]:
    """Return a frame's variables; a class may have its body's in something of its own, whose code must not run."""
    space: Any = frame.f_locals
    if type(space) is dict:
        return space
    return dict.copy(space) if derives(type(space), dict) else {}


def names_by_line(tree: ast.AST) -> dict[int, frozenset[str]]:
    """Return the variables that each line mentions."""
    found: dict[int, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.setdefault(node.lineno, set()).add(node.id)
    return {line: frozenset(names) for line, names in found.items()}


class _Thread:
    """One thread of the program: its stack of frames, and the functions that Python calls at each event."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.stack: list[FrameRecord] = []
        self.number = len(watch.stacks)
        watch.stacks.append(self.stack)

    def enter(self, frame: types.FrameType, event: str, _: Any) -> Local | None:
        """Take a call; only the program's own code is followed."""
        watch = self.watch
        code = frame.f_code
        if code.co_filename != watch.file:
            return None
        with watch.lock:
            record = watch.suspended.pop(id(frame), None) if code.co_flags & _SUSPENDS else None
            if record is None or record.code is not code:
                record = FrameRecord(watch.frames, code, self.number)
                watch.frames += 1
            if record.number == 0:
                watch.begin(record, frame)
            self.stack.append(record)
            if watch.recording:
                watch.recorder.enter(record)
        return self.inside

    def inside(self, frame: types.FrameType, event: str, value: Any) -> Local | None:
        """Take a line, a return or an exception of a frame that is followed."""
        watch = self.watch
        with watch.lock:
            if event == "line":
                line = frame.f_lineno
                record = self.stack[-1]
                watch.steps += 1
                if watch.moments and record.owns_loops:
                    watch.look(record.last, line)
                if watch.steps >= watch.turn:
                    watch.take_turn(self, frame)
                if watch.recording:
                    watch.record(self.stack, frame, LINE, line, None)
                record.last = line
            elif event == "return":
                self._leave(frame, value)
            elif event == "exception" and value[0] is not StopIteration:
                watch.steps += 1
                if watch.steps >= watch.turn:
                    watch.take_turn(self, frame)
                if watch.recording:
                    watch.record(self.stack, frame, EXCEPTION, frame.f_lineno, _exception_text(value))
        return self.inside

    def _leave(self, frame: types.FrameType, value: Any) -> None:
        watch, record = self.watch, self.stack[-1]
        watch.steps += 1
        if watch.moments and record.owns_loops:
            watch.look(record.last, None)
        if watch.steps >= watch.turn:
            watch.take_turn(self, frame)
        if watch.recording:
            text = bounded_text(value, _TEXT_LIMIT)
            watch.record(self.stack, frame, RETURN, frame.f_lineno, text)
        self.stack.pop()
        if record.code.co_flags & _SUSPENDS:
            watch.suspended[id(frame)] = record


_SUSPENDS = 0x20 | 0x80 | 0x200
"""Flags of the code of generators and coroutines, whose frames come back."""


def _exception_text(value: Any) -> str:
    kind, error = value[0], value[1]
    if derives(type(error), BaseException):
        return bounded_text(error, _TEXT_LIMIT)
    return f"{type.__dict__['__name__'].__get__(kind)}()"


class Watch:
    """A traced run: counts steps, opens and closes windows, looks for moments, keeps to the budgets."""

    def __init__(self, source: bytes, asked: dict[str, Any], report: Report) -> None:
        """`asked` has `windows` (pairs of steps), `moments`, `seconds`, `bytes` and `value_limit`."""
        tree = ast.parse(source)
        self.report = report
        self.recorder = Recorder(self._give, names_by_line(tree), asked["value_limit"])
        self.moments = [Moment(moment, tree) for moment in asked["moments"]]
        self.all_moments = list(self.moments)
        self.windows: list[tuple[int, int]] = [(start, stop) for start, stop in asked["windows"]]
        self.byte_budget: int = asked["bytes"]
        self.deadline = time.monotonic() + asked["seconds"]
        self.tell_at = time.monotonic() + _TELL_SECONDS if asked.get("tell") else _NEVER
        self.steps = -1
        self.frames = 0
        self.stacks: list[list[FrameRecord]] = []
        self.recording = False
        self.turn = 0
        self.file = ""
        self.suspended: dict[int, FrameRecord] = {}
        self.cut: str | None = None
        self.over = False
        self.output = count_output()
        self.module_space: dict[str, object] = {}
        self.lock = threading.Lock()

    def _give(self, contents: dict[str, Any], data: bytes) -> None:
        self.report.say({"chunk": contents}, data)

    def begin(self, record: FrameRecord, frame: types.FrameType) -> None:
        """Take the module's frame."""
        self.module_space = frame.f_globals
        self.recorder.begin(record, self.stacks)

    def look(self, last: int, line: int | None) -> None:
        """Look for moments in a frame that goes from one line to another."""
        found = False
        for moment in self.moments:
            moment.passes(last, line, self.steps)
            found |= moment.step is not None
        if found:
            self.moments = [moment for moment in self.moments if moment.step is None]

    def take_turn(self, thread: _Thread, frame: types.FrameType) -> None:
        """Do what is due at this step: look at the clock, open or close a window."""
        step = self.steps
        now = time.monotonic()
        if now > self.deadline:
            self.stop("seconds")
        if now > self.tell_at:
            self.tell_at = now + _TELL_SECONDS
            self.report.say({"at": step})
        if self.recording and (self.recorder.bytes > self.byte_budget or step >= self.windows[0][1]):
            if self.recorder.bytes > self.byte_budget:
                self.cut = "bytes"
                self.windows = self.windows[:1]
            self.recorder.close()
            self.recording = False
            del self.windows[0]
        if not self.recording and self.windows and step >= self.windows[0][0]:
            self.recording = True
            if step > 0:
                self._refresh(thread, frame)
        due = step + _CLOCK_EVERY
        if self.windows:
            start, stop = self.windows[0]
            due = min(due, stop if self.recording else start)
        self.turn = due

    def _refresh(self, thread: _Thread, frame: types.FrameType) -> None:
        spaces: list[Any] = []
        above: types.FrameType | None = frame
        while above is not None and len(spaces) < len(thread.stack):
            if above.f_code.co_filename == self.file:
                spaces.append(variables_of(above))
            above = above.f_back
        self.recorder.refresh(thread.stack[len(thread.stack) - len(spaces) :], reversed(spaces))

    def record(self, stack: list[FrameRecord], frame: types.FrameType, kind: int, line: int, text: str | None) -> None:
        """Record one step; a value that cannot be written for lack of memory ends the recording."""
        try:
            self.recorder.step(
                self.steps, kind, line, stack, variables_of(frame), self.module_space, self.output.count, text
            )
        except MemoryError:
            self.recording = False
            self.windows = []
            self.cut = "memory"

    def stop(self, why: str) -> None:
        """End the program here, because a budget is used up."""
        sys.settrace(None)
        self.cut = why
        self.finish()
        sys.stdout.flush()
        os._exit(0)

    def _wait(self) -> None:
        """End a program that makes no steps any more when its time is over, in a thread unknown to `threading`."""
        time.sleep(max(0.0, self.deadline - time.monotonic()))
        with self.lock:
            if not self.over:
                self.stop("seconds")

    def finish(self, switched_off: bool = False) -> None:
        """Give away what is left, and say how far it went."""
        self.recorder.close()
        self.report.say(
            {
                "trace": {
                    "steps": self.steps + 1,
                    "cut": self.cut,
                    "moments": [moment.step for moment in self.all_moments],
                    "unknown": [moment.kind != "after_line" and moment.loop is None for moment in self.all_moments],
                    "output": self.output.count,
                    "loose": sorted(self.recorder.loose),
                    "switched_off": switched_off,
                }
            }
        )

    def run(self, run: Callable[[], None], file: str) -> None:
        """Run a program under watch."""
        self.file = file
        first = _Thread(self)
        enter = first.enter

        def begin_thread(frame: types.FrameType, event: str, value: Any) -> Local | None:
            thread = _Thread(self)
            sys.settrace(thread.enter)
            return thread.enter(frame, event, value)

        _thread.start_new_thread(self._wait, ())
        threading.settrace(begin_thread)
        sys.settrace(enter)
        try:
            run()
            if len(self.stacks) > 1:
                threading._shutdown()  # type: ignore[attr-defined]  # what Python itself waits with for other threads
        finally:
            ours = sys.gettrace() is not None and sys.gettrace() == enter
            sys.settrace(None)
            with self.lock:
                self.over, self.recording, self.windows = True, False, []
                self.deadline = _NEVER
                self.finish(switched_off=not ours)


def trace_program(source: bytes, header: dict[str, Any], report: Report) -> NoReturn:
    """Run a program as the main module under watch, and end with it."""
    try:
        watch = Watch(source, header["trace"], report)
    except (SyntaxError, ValueError, RecursionError):
        run_program(source, report)  # which says what is wrong with it
    run_program(source, report, watch.run)
