"""A recorded run: which line at which step, what changed there, and the whole state at any recorded step."""

from __future__ import annotations

import bisect
import contextlib
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Literal, NamedTuple

from auditor.errors import AuditorError
from auditor.execution.program import Run

Cut = Literal["steps", "bytes", "seconds", "memory", "ended"]
_CHUNKS_OPEN = 64
"""Chunks that are kept decoded."""


class TraceDamagedError(AuditorError):
    """A trace holds what no tracer writes: the program wrote into it."""


class Kind(IntEnum):
    """What a step is."""

    LINE = 0
    """A line that is about to run."""
    RETURN = 1
    """A function that returns or yields; the line is the one it does so from."""
    EXCEPTION = 2
    """An exception that passes a line."""


@dataclass(frozen=True, slots=True)
class Change:
    """A variable that has another value than at the step before; `text` is None when it is gone."""

    name: str
    text: str | None
    of_module: bool
    """Of the module, changed by a function; else of the step's own frame."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step, without the state around it."""

    number: int
    """From 0, over the whole run, also where the steps before were not kept."""
    kind: Kind
    line: int
    function: str
    depth: int
    """Frames of the program on the stack, from 1."""
    changes: tuple[Change, ...]
    output: int
    """Bytes that the program had written to `sys.stdout` before this step."""
    text: str | None
    """The value that is returned, or the exception."""


class Passing(NamedTuple):
    """A step as far as it is known without any variable."""

    number: int
    kind: int
    line: int
    frame: int
    """The number of the activation that it belongs to."""
    output: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One activation of a function, with its variables as texts."""

    function: str
    first_line: int
    variables: dict[str, str]


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is known at one step: before its line runs."""

    step: Step
    stack: tuple[Frame, ...]
    """The frames of the step's thread, from the outermost to the current one."""
    module: dict[str, str]
    """The module's variables."""

    @property
    def variables(self) -> dict[str, str]:
        """The variables that the current line sees: its own, and the module's where it has none of that name."""
        return {**self.module, **self.stack[-1].variables}


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some steps in a row, still as they were written."""

    first: int
    count: int
    data: bytes
    lines: frozenset[int]
    """The lines in it, for a search to pass it by; so are the two that follow."""
    names: frozenset[str]
    """The variables that change in it."""
    output: tuple[int, int]
    """The output at its first and at its last step."""


@dataclass(slots=True)
class _Open:
    """A decoded chunk, and the state at the last step that was asked for."""

    chunk: Chunk
    body: dict[str, Any]
    names: dict[int, tuple[str, int, int]]
    at: int = -1
    variables: dict[int, dict[str, str]] = field(default_factory=dict)
    stacks: dict[int, list[int]] = field(default_factory=dict)
    module: int = 0

    def rewind(self) -> None:
        """Go to before the first step."""
        self.variables = {number: dict(values) for number, values in self.body["key"]}
        self.module = self.body["key"][0][0]
        self.stacks = {thread: list(numbers) for thread, numbers in enumerate(self.body["stacks"])}
        self.at = -1

    def go_to(self, index: int) -> None:
        """Make `variables` and `stacks` those of a step, going on from where they are or anew."""
        if index < self.at or not self.variables:
            self.rewind()
        for place in range(self.at + 1, index + 1):
            self._apply(place)
        self.at = index

    def _apply(self, place: int) -> None:
        body = self.body
        number, depth = body["numbers"][place], body["depths"][place]
        stack = self.stacks.setdefault(self.names[number][2], [])
        del stack[depth - 1 :]
        stack.append(number)
        own = self.variables.setdefault(number, {})
        for change in body["changes"][place] or ():
            target = self.variables[self.module] if change[0] else own
            _change(target, change)


def _change(target: dict[str, str], change: Sequence[Any]) -> str | None:
    """Apply one change, and return the new text."""
    name = change[1]
    if len(change) == 2:
        target.pop(name, None)
        return None
    if len(change) == 3:
        text: str = change[2]
    else:
        old, start, end = target[name], change[2], change[3]
        text = old[:start] + change[4] + old[len(old) - end :]
    target[name] = text
    return text


class Trace:
    """A recorded run, with random access to its steps; decodes only what is looked at."""

    def __init__(
        self,
        run: Run,
        chunks: Sequence[Chunk],
        *,
        total: int | None,
        cut: Cut | None,
        moments: Sequence[int | None] = (),
        loose: Sequence[str] = (),
        notes: Sequence[str] = (),
    ) -> None:
        """Take a run with its chunks in the order of their steps."""
        self.run = run
        """What the program printed, and how it ended."""
        self.total = total
        """Steps of the whole run, kept or not; None when that is not known."""
        self.cut: Cut | None = cut
        """Why not all steps were kept; None when all are there."""
        self.moments = tuple(moments)
        """The steps of the checkpoints that were asked for, in that order; None where one was never reached."""
        self.loose = tuple(loose)
        """Variables too large to be compared at every step: their changes may show some steps late."""
        self.notes = tuple(notes)
        """What a reader has to know besides, a sentence each."""
        self._chunks = list(chunks)
        self._firsts = [chunk.first for chunk in chunks]
        self._open: OrderedDict[int, _Open] = OrderedDict()

    def __len__(self) -> int:
        """Count the steps that are kept."""
        return sum(chunk.count for chunk in self._chunks)

    @property
    def kept(self) -> list[range]:
        """The steps that are kept, as ranges without a gap."""
        ranges: list[range] = []
        for chunk in self._chunks:
            if ranges and ranges[-1].stop == chunk.first:
                ranges[-1] = range(ranges[-1].start, chunk.first + chunk.count)
            else:
                ranges.append(range(chunk.first, chunk.first + chunk.count))
        return ranges

    def __contains__(self, number: int) -> bool:
        """Say whether a step is kept."""
        place = bisect.bisect_right(self._firsts, number) - 1
        return place >= 0 and number < self._chunks[place].first + self._chunks[place].count

    def step(self, number: int) -> Step:
        """Return a kept step; raises KeyError for one that is not, TraceDamagedError where the trace makes no sense."""
        opened, index = self._at(number)
        with _damage(number):
            return _step(opened, index)

    def state(self, number: int) -> State:
        """Return the whole state at a kept step; raises as `step` does."""
        opened, index = self._at(number)
        with _damage(number):
            step = _step(opened, index)
            return State(step, _frames(opened, index), dict(opened.variables[opened.module]))

    def steps(self, start: int = 0, stop: int | None = None) -> Iterator[Step]:
        """Yield the kept steps from one to before another."""
        for place, indices in self._parts(start, stop):
            opened = self._opened(place)
            for index in indices:
                with _damage(opened.chunk.first + index):
                    step = _step(opened, index)
                yield step

    def passings(self) -> Iterator[Passing]:
        """Yield all kept steps without their variables, which is many times faster than `steps`."""
        for place, indices in self._parts(0, None):
            body, first = self._opened(place).body, self._chunks[place].first
            columns = (body["kinds"], body["lines"], body["numbers"], body["output"])
            yield from map(Passing, range(first, first + len(indices)), *columns)

    def values(
        self, names: Sequence[str], *, function: str | None = None, local: Collection[str] = ()
    ) -> Iterator[tuple[int, tuple[str | None, ...]]]:
        """Yield the kept steps with the texts of some variables, None for one that is not there.

        With a `function` only its steps; of the variables those in `local` are its own, the others the module's.
        """
        for place, indices in self._parts(0, None):
            opened = self._opened(place)
            for index in indices:
                with _damage(opened.chunk.first + index):
                    frame = opened.body["numbers"][index]
                    if function is not None and opened.names[frame][0] != function:
                        continue
                    opened.go_to(index)
                    module, own = opened.variables[opened.module], opened.variables.get(frame, {})
                    found = tuple((own if name in local else module).get(name) for name in names)
                yield opened.chunk.first + index, found

    def find_change(self, name: str, number: int, *, backwards: bool = False) -> int | None:
        """Return the next kept step after one, or before it, at which a variable of this name changed."""
        return self._find(
            number,
            backwards,
            lambda chunk: name in chunk.names,
            lambda body, at: any(change[1] == name for change in body["changes"][at] or ()),
        )

    def find_line(self, line: int, number: int, *, backwards: bool = False) -> int | None:
        """Return the next kept step after one, or before it, that is about to run a line."""
        return self._find(
            number,
            backwards,
            lambda chunk: line in chunk.lines,
            lambda body, at: body["lines"][at] == line and body["kinds"][at] == Kind.LINE,
        )

    def find_output(self, number: int, *, backwards: bool = False) -> int | None:
        """Return the next kept step after one, or before it, at which the program had written another amount."""
        now = self.step(number).output
        return self._find(
            number, backwards, lambda chunk: chunk.output != (now, now), lambda body, at: body["output"][at] != now
        )

    def _parts(self, start: int, stop: int | None) -> Iterator[tuple[int, range]]:
        """Yield the places of chunks with the steps of each, as counted in it, from one step to before another."""
        for place, chunk in enumerate(self._chunks):
            low = max(start - chunk.first, 0)
            high = chunk.count if stop is None else min(stop - chunk.first, chunk.count)
            if low < high:
                yield place, range(low, high)

    def _find(
        self,
        number: int,
        backwards: bool,
        may_have: Callable[[Chunk], bool],
        wanted: Callable[[dict[str, Any], int], bool],
    ) -> int | None:
        parts = list(self._parts(0, number) if backwards else self._parts(number + 1, None))
        for place, indices in reversed(parts) if backwards else parts:
            if not may_have(self._chunks[place]):
                continue
            opened = self._opened(place)
            with _damage(opened.chunk.first):
                for index in reversed(indices) if backwards else indices:
                    if wanted(opened.body, index):
                        return opened.chunk.first + index
        return None

    def _opened(self, place: int) -> _Open:
        opened = self._open.get(place)
        if opened is None:
            opened = self._open[place] = _decoded(self._chunks[place])
            if len(self._open) > _CHUNKS_OPEN:
                self._open.popitem(last=False)
        else:
            self._open.move_to_end(place)
        return opened

    def _at(self, number: int) -> tuple[_Open, int]:
        if number not in self:
            raise KeyError(number)
        opened = self._opened(bisect.bisect_right(self._firsts, number) - 1)
        return opened, number - opened.chunk.first


@contextlib.contextmanager
def _damage(number: int) -> Iterator[None]:
    """Turn what goes wrong in reading a step into the one error that it can be."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise TraceDamagedError(f"step {number:,} of the trace is damaged: the program wrote into it.") from error


def _frames(opened: _Open, index: int) -> tuple[Frame, ...]:
    """Return the frames of a step's thread."""
    stack = opened.stacks[opened.names[opened.body["numbers"][index]][2]]
    return tuple(Frame(*opened.names[own][:2], dict(opened.variables.get(own, {}))) for own in stack)


def _step(opened: _Open, index: int) -> Step:
    opened.go_to(index)
    body = opened.body
    number = body["numbers"][index]
    changes = []
    for change in body["changes"][index] or ():
        of_module = bool(change[0])
        source = opened.variables[opened.module if of_module else number]
        changes.append(Change(change[1], source.get(change[1]), of_module))
    return Step(
        opened.chunk.first + index,
        Kind(body["kinds"][index]),
        body["lines"][index],
        opened.names[number][0],
        body["depths"][index],
        tuple(changes),
        body["output"][index],
        body["texts"][index] or None,
    )


_NUMBERS = ("lines", "kinds", "numbers", "depths", "output")


def _decoded(chunk: Chunk) -> _Open:
    """Decode a chunk; raises TraceDamagedError for one that no tracer writes."""
    with _damage(chunk.first):
        body = json.loads(chunk.data)
        for name in (*_NUMBERS, "changes", "texts"):
            column = body[name]
            if type(column) is not list or len(column) != chunk.count:
                raise ValueError(name)
            if name in _NUMBERS and set(map(type, column)) != {int}:
                raise ValueError(name)
        names = {number: (str(name), int(line), int(thread)) for number, name, line, thread in body["frames"]}
        return _Open(chunk, body, names)
    raise AssertionError  # `_damage` lets nothing pass
