"""How much a Python program does and how much state it has: opcode events, and the size of what it can reach."""

from __future__ import annotations

import os
import sys
import threading
import time
import types
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NoReturn

from auditor.execution.inside.python_program import Report, run_program
from auditor.execution.inside.tracer import variables_of
from auditor.execution.inside.value_text import SCALARS, attributes, derives, is_definition

_SEQUENCES: tuple[Any, ...] = (list, tuple, set, frozenset, deque)
_FLAT: tuple[Any, ...] = (bytearray, array)
_CLOCK_EVERY = 4096
Local = Callable[[types.FrameType, str, Any], Any]


def _members(value: Any, kind: type) -> tuple[int, list[Any]]:
    """Return how many slots an object has of its own, and what stands in those that may lead further."""
    items: Collection[Any]
    if kind is tuple or kind is list:  # by far the most, and nothing of theirs can be overridden
        items = value
    elif kind is dict:
        items = [*value, *value.values()]
    elif derives(kind, *_FLAT):
        return len(value), []
    else:
        items = _members_of_derived(value, kind)
    if set(map(id, map(type, items))) <= SCALARS:
        return len(items), []
    return len(items), [item for item in items if id(type(item)) not in SCALARS and not is_definition(type(item))]


def _members_of_derived(value: Any, kind: type) -> list[Any]:
    for base in _SEQUENCES:
        if derives(kind, base):
            return list(base.__iter__(value))
    if derives(kind, dict):
        return [*dict.keys(value), *dict.values(value)]
    return list(attributes(value).values())


def state_size(spaces: Iterable[Mapping[str, object]]) -> int:
    """Count the slots that hold a program's state: variables, members, keys and values, attributes.

    What a container or object holds counts once, however many names it has; numbers and texts count wherever they
    stand, since whether two of them are one object is the interpreter's choice. Definitions are no state.
    """
    size, seen = 0, set()
    todo: list[Any] = []
    for space in spaces:
        for name, value in list(space.items()):  # other threads may add variables meanwhile
            if type(name) is not str or name[:2] == "__" or name[:1] == "." or is_definition(type(value)):
                continue
            size += 1
            if id(type(value)) not in SCALARS:
                todo.append(value)
    while todo:
        value = todo.pop()
        if id(value) not in seen:
            seen.add(id(value))
            own, further = _members(value, type(value))
            size += own
            todo += further
    return size


class Meter:
    """A measured run."""

    def __init__(self, asked: dict[str, Any], report: Report) -> None:
        """`asked` has `opcodes` and `state`, each whether to measure it, and `seconds`."""
        self.report = report
        self.count_opcodes: bool = asked["opcodes"]
        self.walk: bool = asked["state"]
        self.deadline = time.monotonic() + asked["seconds"]
        self.opcodes = self.observations = self.peak = self.load = self.events = 0
        self.file = ""
        self.module: Mapping[str, object] = {}
        self.frames: dict[int, list[types.FrameType]] = {}
        self.lock = threading.Lock()

    def enter(self, frame: types.FrameType, event: str, _: Any) -> Local | None:
        """Take a call; only the program's own code is measured."""
        if frame.f_code.co_filename != self.file:
            return None
        if not self.module:
            self.module = frame.f_globals
        if self.walk:
            with self.lock:
                self.frames.setdefault(threading.get_ident(), []).append(frame)
        return self.inside

    def inside(self, frame: types.FrameType, event: str, _: Any) -> Local:
        """Take an event of the program's own code."""
        if event == "opcode":
            self.opcodes += 1
        elif event == "line":
            # Asked for at the call, Python 3.12 and 3.13 forget it under some conditions.
            frame.f_trace_opcodes = self.count_opcodes
            if self.walk:
                with self.lock:
                    self._observe()
        elif event == "return" and self.walk:
            with self.lock:
                self._observe()
                self.frames[threading.get_ident()].pop()
        self.events += 1
        if self.events % _CLOCK_EVERY == 0 and time.monotonic() > self.deadline:
            self._stop()
        return self.inside

    def _observe(self) -> None:
        live = [frame for stack in self.frames.values() for frame in stack]
        spaces = [space for space in map(variables_of, live) if space is not self.module]
        size = state_size([self.module, *spaces])
        self.observations += 1
        self.load += size
        self.peak = max(self.peak, size)

    def _stop(self) -> NoReturn:
        sys.settrace(None)
        self.report.say({"measured": None})
        os._exit(0)

    def run(self, run: Callable[[], None], file: str) -> None:
        """Run a program and measure it."""
        self.file = file
        enter = self.enter
        if sys.version_info[:2] == (3, 12):
            # There `settrace` looks whether any frame has ever asked for opcodes, and no call that comes later counts.
            sys._getframe().f_trace_opcodes = True
        threading.settrace(enter)
        sys.settrace(enter)
        try:
            run()
        finally:
            ours = sys.gettrace() == enter
            sys.settrace(None)
            names = ("opcodes", "observations", "peak", "load")
            self.report.say({"measured": {name: getattr(self, name) for name in names} if ours else None})


def measure_program(source: bytes, header: dict[str, Any], report: Report) -> NoReturn:
    """Run a program as the main module, measure it, and end with it."""
    run_program(source, report, Meter(header["measure"], report).run)
