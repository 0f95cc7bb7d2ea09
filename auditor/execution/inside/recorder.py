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

Seen = dict[str, tuple[object, str]]
"""By name: the scalar itself or the fingerprint of a container, and the text."""
Change = list[Any]
"""[whose, name] for a variable that went; [whose, name, text]; [whose, name, kept start, kept end, middle]."""


class FrameRecord:
    """What is known of one activation of a function."""

    __slots__ = ("code", "last", "number", "owns_loops", "seen", "thread")

    def __init__(self, number: int, code: types.CodeType, thread: int) -> None:
        self.number, self.code, self.thread = number, code, thread
        self.seen: Seen = {}
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
        give: Callable[[int, int, bytes], None],
        names_by_line: Mapping[int, frozenset[str]],
        value_limit: int,
    ) -> None:
        """`give` takes a chunk: the number of its first step, how many it has, and its JSON."""
        self._give, self._names, self._limit = give, names_by_line, value_limit
        self.bytes = 0
        self.loose: set[str] = set()
        """Names of values too large to be compared at every step."""
        self._module = FrameRecord(0, compile("", "", "exec"), 0)
        self._stacks: list[list[FrameRecord]] = []
        self._count = 0

    def begin(self, module: FrameRecord, stacks: list[list[FrameRecord]]) -> None:
        """Take the module's frame, whose variables every frame may change, and the stacks of all threads."""
        self._module, self._stacks = module, stacks

    def _open(self, step: int) -> None:
        live = [self._module]
        live += [record for stack in self._stacks for record in stack if record is not self._module]
        key = [[record.number, {name: text for name, (_, text) in record.seen.items()}] for record in live]
        self._first, self._count, self._characters = step, 0, 0
        self._most = max(CHUNK_STEPS, sum(len(record.seen) for record in live))
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
            data = json.dumps(self._chunk, separators=(",", ":")).encode()
            self.bytes += len(data)
            self._give(self._first, self._count, data)
            self._count = 0

    def refresh(self, stack: list[FrameRecord], spaces: Iterable[Mapping[str, object]]) -> None:
        """Bring what is known of all live frames up to date, after steps that were not recorded."""
        for record, space in zip(stack, spaces, strict=True):
            self._compare(space, record.seen, HERE, [], frozenset(), True)

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
        mentioned = self._names.get(record.last, frozenset())
        often = step % _NOW_AND_THEN == 0 or kind != LINE
        self._compare(space, record.seen, HERE, changes, mentioned, often)
        if record is not self._module:
            self._compare_module(record.code, module_space, changes, mentioned, often)
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
        """Note a frame that was entered while recording."""
        if self._count:
            self._tell(record)

    def _compare_module(
        self,
        code: types.CodeType,
        space: Mapping[str, object],
        changes: list[Change],
        mentioned: frozenset[str],
        often: bool,
    ) -> None:
        """Compare those of the module's variables that a function's code names."""
        seen = self._module.seen
        for name in code.co_names:
            if name[:2] == "__":
                continue
            if name in space:
                self._compare_one(name, space[name], seen, MODULE, changes, mentioned, often)
            elif name in seen:
                del seen[name]
                changes.append([MODULE, name])

    def _compare(
        self,
        space: Mapping[str, object],
        seen: Seen,
        whose: int,
        changes: list[Change],
        mentioned: frozenset[str],
        often: bool,
    ) -> None:
        hidden = 0
        for name, value in space.items():
            kind = type(value)
            if id(kind) in SCALARS:
                old = seen.get(name)
                if old is not None and old[0] is value:
                    continue
                if name[:2] == "__":
                    hidden += 1
                    continue
                text = self._scalar_text(value)
                if old is None or old[1] != text:
                    changes.append(self._change(whose, name, old, text))
                seen[name] = (value, text)
            elif is_definition(kind) or name[:2] == "__" or name[0] == ".":
                hidden += 1
                if name in seen:
                    del seen[name]
                    changes.append([whose, name])
            else:
                self._compare_one(name, value, seen, whose, changes, mentioned, often)
        if len(seen) != len(space) - hidden:
            for name in [name for name in seen if name not in space]:
                del seen[name]
                changes.append([whose, name])

    def _compare_one(
        self,
        name: str,
        value: object,
        seen: Seen,
        whose: int,
        changes: list[Change],
        mentioned: frozenset[str],
        often: bool,
    ) -> None:
        kind, old = type(value), seen.get(name)
        if id(kind) in SCALARS:
            if name[:2] == "__" or (old is not None and old[0] is value):
                return
            mark: object = value
            text = self._scalar_text(value)
        elif is_definition(kind):
            return
        else:
            if name in self.loose and old is not None and not often and name not in mentioned:
                return
            data = fingerprint(value)
            if data is None:
                mark = text = bounded_text(value, self._limit)
            else:
                if old is not None and old[0] == data:
                    return
                if len(data) > _LARGE:
                    self.loose.add(name)
                mark, text = data, self._text_of_builtin(value, len(data))
        if old is None or old[1] != text or (mark != old[0] and type(mark) is bytes):
            changes.append(self._change(whose, name, old, text))
        seen[name] = (mark, text)

    def _text_of_builtin(self, value: Any, size: int) -> str:
        if size > 8 * self._limit:
            return bounded_text(value, self._limit)
        return cut(builtin_text(value) or bounded_text(value, self._limit), self._limit)

    def _scalar_text(self, value: Any) -> str:
        kind = type(value)
        if kind is int and -(1 << 62) < value < 1 << 62:
            return int.__repr__(value)
        if kind in (str, bytes) and len(value) > self._limit:
            return bounded_text(value, self._limit)
        return bounded_text(value, self._limit) if kind is int else repr(value)

    def _change(self, whose: int, name: str, old: tuple[object, str] | None, text: str) -> Change:
        if old is None or len(text) < _SHARED_PART or len(old[1]) < _SHARED_PART:
            return [whose, name, text]
        return [whose, name, *shortened(old[1], text)]
