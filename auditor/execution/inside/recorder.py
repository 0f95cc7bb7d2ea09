"""States of a traced program as chunks: a keyframe with everything, then for each step what changed."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from auditor.execution.inside.value_text import SCALARS, bounded_text, builtin_text, cut, fingerprint, is_definition

CHUNK_STEPS = 512
_CHUNK_CHARACTERS = 1 << 18
LINE, RETURN, EXCEPTION = 0, 1, 2
"""The kinds of steps."""
HERE, MODULE = 0, 1
"""Whose variable changed: the frame's own, or the module's."""
_LARGE = 1 << 16
"""Bytes of a fingerprint beyond which a value is compared only now and then, and when its name is on the line."""
_NOW_AND_THEN = 64
_SHARED_PART = 64
"""Characters of a text from which on only the part that changed is kept."""

_MOST_WRITTEN = 8
"""Values of up to so many times the limit are written whole, and then cut: so it is known how long they are."""
_LONG_TEXT = 4_000
"""Characters beyond which the same holds for the text of objects."""
_NOTHING: frozenset[str] = frozenset()
_encode = json.JSONEncoder(separators=(",", ":")).encode
"""Taken before a program can put something else in the place of `json.dumps`."""
_SMALL = 1 << 62

Seen = dict[str, tuple[object, str | None]]
"""By name: the scalar or definition itself or the fingerprint of a container, and the text; None: it is no state."""
Change = list[Any]
"""[whose, name] for a variable that went; [whose, name, text]; [whose, name, kept start, kept end, middle]."""


class FrameRecord:
    """What is known of one activation of a function."""

    __slots__ = ("chunk", "code", "last", "number", "owns_loops", "seen", "thread")

    def __init__(self, number: int, code: types.CodeType, thread: int) -> None:
        self.number, self.code, self.thread = number, code, thread
        self.seen: Seen = {}
        self.chunk = 0
        """The chunk that holds all of `seen`."""
        self.last = 0
        # Comprehensions and lambdas share lines with the statement around them.
        self.owns_loops = code.co_name[0] != "<" or code.co_name == "<module>"


def shortened(old: str, new: str) -> tuple[int, int, str]:
    """Return how much of a text's start and end stays, and what stands between them in the new one."""
    most = min(len(old), len(new))
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    start, low, high = low, 0, most - low
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return start, low, new[start : len(new) - low]


class Recorder:
    """Collects steps and gives them away in chunks."""

    def __init__(
        self,
        give: Callable[[dict[str, Any], bytes], None],
        names_by_line: Mapping[int, frozenset[str]],
        value_limit: int,
    ) -> None:
        """`give` takes a chunk: where it is and what can be found in it, and its JSON."""
        self._give, self._names, self._limit = give, names_by_line, value_limit
        self.bytes = 0
        self.loose: set[str] = set()
        """Names of values too large to be compared at every step."""
        self._module = FrameRecord(0, compile("", "", "exec"), 0)
        self._stacks: list[list[FrameRecord]] = []
        self._count = self._opened = 0

    def begin(self, module: FrameRecord, stacks: list[list[FrameRecord]]) -> None:
        """Take the module's frame, whose variables every frame may change, and the stacks of all threads."""
        self._module, self._stacks = module, stacks

    def _open(self, step: int) -> None:
        live = [self._module]
        live += [record for stack in self._stacks for record in stack if record is not self._module]
        key = [
            [record.number, {name: text for name, (_, text) in record.seen.items() if text is not None}]
            for record in live
        ]
        self._first, self._count, self._characters = step, 0, 0
        self._most = max(CHUNK_STEPS, sum(len(record.seen) for record in live))
        self._opened += 1
        for record in live:
            record.chunk = self._opened
        self._chunk: dict[str, Any] = {"key": key, "frames": []}
        self._chunk["stacks"] = [[record.number for record in stack] for stack in self._stacks]
        self._columns: tuple[list[Any], ...] = ([], [], [], [], [], [], [])
        for record in live:
            self._tell(record)

    def _tell(self, record: FrameRecord) -> None:
        self._chunk["frames"].append([record.number, record.code.co_name, record.code.co_firstlineno, record.thread])

    def close(self) -> None:
        """Give away what is collected."""
        if self._count:
            names = ("lines", "kinds", "numbers", "depths", "output", "changes", "texts")
            self._chunk.update(zip(names, self._columns, strict=True))
            data = _encode(self._chunk).encode()
            self.bytes += len(data)
            self._give(self._contents(), data)
            self._count = 0

    def _contents(self) -> dict[str, Any]:
        """Return what a search has to know of a chunk to pass it by."""
        lines, changes, output = set(self._columns[0]), self._columns[5], self._columns[4]
        names = {change[1] for step in changes if step for change in step}
        found = {"lines": sorted(lines), "names": sorted(names), "output": [output[0], output[-1]]}
        return {"first": self._first, "count": self._count, **found}

    def refresh(self, stack: list[FrameRecord], spaces: Iterable[Mapping[str, object]]) -> None:
        """Bring what is known of all live frames up to date, after steps that were not recorded."""
        for record, space in zip(stack, spaces, strict=True):
            self._compare(space, record.seen, [], None)

    def step(
        self,
        step: int,
        kind: int,
        line: int,
        stack: list[FrameRecord],
        space: Mapping[str, object],
        module_space: Mapping[str, object],
        output: int,
        text: str | None,
    ) -> None:
        """Record one step of the frame on top of the stack."""
        if self._count == 0:
            self._open(step)
        record = stack[-1]
        changes: list[Change] = []
        often = step % _NOW_AND_THEN == 0 or kind != LINE
        mentioned = None if often else self._names.get(record.last, _NOTHING)
        self._compare(space, record.seen, changes, mentioned)
        if record is not self._module:
            self._compare_module(record.code, module_space, changes, mentioned)
        lines, kinds, numbers, depths, outputs, changed, texts = self._columns
        lines.append(line)
        kinds.append(kind)
        numbers.append(record.number)
        depths.append(len(stack))
        outputs.append(output)
        changed.append(changes or 0)
        texts.append(text or 0)
        self._count += 1
        for change in changes:
            self._characters += len(change[-1])
        if self._count >= self._most or self._characters > _CHUNK_CHARACTERS:
            self.close()

    def enter(self, record: FrameRecord) -> None:
        """Note a frame that was entered while recording, for the first time or, as a generator's, once more."""
        if self._count:
            if record.chunk != self._opened:
                record.seen = {}  # what an earlier chunk tells of it has to be told again
                record.chunk = self._opened
            self._tell(record)

    def _compare_module(
        self, code: types.CodeType, space: Mapping[str, object], changes: list[Change], mentioned: frozenset[str] | None
    ) -> None:
        """Compare those of the module's variables that a function's code names."""
        seen = self._module.seen
        for name in code.co_names:
            if name in space:
                value, old = space[name], seen.get(name)
                if old is None or old[0] is not value:
                    self._compare_one(name, value, old, seen, MODULE, changes, mentioned)
            elif name in seen:
                self._forget(name, seen, MODULE, changes)

    def _compare(
        self,
        space: Mapping[str, object],
        seen: Seen,
        changes: list[Change],
        mentioned: frozenset[str] | None,
    ) -> None:
        known = seen.get
        try:
            for name, value in space.items():
                old = known(name)
                if old is None or old[0] is not value:
                    self._compare_one(name, value, old, seen, HERE, changes, mentioned)
        except RuntimeError:  # another thread made a variable meanwhile; a copy is made in one go
            self._compare(dict(space), seen, changes, mentioned)
            return
        if len(seen) != len(space):
            for name in [name for name in seen if name not in space]:
                self._forget(name, seen, HERE, changes)

    def _forget(self, name: str, seen: Seen, whose: int, changes: list[Change]) -> None:
        if seen.pop(name)[1] is not None:
            changes.append([whose, name])

    def _compare_one(
        self,
        name: str,
        value: Any,
        old: tuple[object, str | None] | None,
        seen: Seen,
        whose: int,
        changes: list[Change],
        mentioned: frozenset[str] | None,
    ) -> None:
        """Compare a variable that is not the very object it was; `mentioned` is None when all are to be compared."""
        kind = type(value)
        mark: object = value
        text: str | None
        if type(name) is not str:
            return  # a key of `globals()` that no code can name
        if name[:2] == "__" or name[:1] == ".":
            text = None
        elif id(kind) in SCALARS:
            text = self._scalar_text(value, kind)
        elif is_definition(kind):
            text = None
        else:
            if old is not None and mentioned is not None and name in self.loose and name not in mentioned:
                return
            data = fingerprint(value)
            if data is None:
                mark = text = bounded_text(value, self._limit)
                if len(text) > _LONG_TEXT:
                    self.loose.add(name)
            elif old is not None and old[0] == data:
                return
            else:
                if len(data) > _LARGE:
                    self.loose.add(name)
                mark, text = data, self._text_of_builtin(value, len(data))
                if old is not None and old[1] == text and type(old[0]) is bytes:
                    old = None  # the part that is shown is the same: tell it once more
        seen[name] = (mark, text)
        if old is None:
            if text is not None:
                changes.append([whose, name, text])
        elif old[1] != text:
            changes.append(self._change(whose, name, old[1], text))

    def _text_of_builtin(self, value: Any, size: int) -> str:
        if size > _MOST_WRITTEN * self._limit:
            return bounded_text(value, self._limit)
        return cut(builtin_text(value) or bounded_text(value, self._limit), self._limit)

    def _scalar_text(self, value: Any, kind: type) -> str:
        if kind is int and -_SMALL < value < _SMALL:
            return int.__repr__(value)
        if kind is int or (kind in (str, bytes) and len(value) > _MOST_WRITTEN * self._limit):
            return bounded_text(value, self._limit)
        return cut(repr(value), self._limit)

    def _change(self, whose: int, name: str, old: str | None, text: str | None) -> Change:
        if text is None:
            return [whose, name]
        if old is None or len(text) < _SHARED_PART or len(old) < _SHARED_PART:
            return [whose, name, text]
        return [whose, name, *shortened(old, text)]
