"""The difference of two JSON values as changes with paths, under the grading rule of `auditor.compare.json_values`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Literal, NamedTuple, TypeAlias

from auditor.compare.alignment import Block, align
from auditor.compare.json_values import Numbering, children, is_container, json_type
from auditor.model import JsonValue
from auditor.text import visible_line

Path: TypeAlias = "tuple[str | int, ...]"

_DEEPDIFF_NODES = 2_000
_DEEPDIFF_DEPTH = 100
_MOST_CHANGES = 10_000


@dataclass(frozen=True, slots=True)
class Change:
    """One place where two values differ."""

    path: Path
    """Keys and indexes from the root: of the oracle, and for what is extra of the prediction."""
    kind: Literal["changed", "missing", "extra", "type"]
    """`missing` is in the oracle only, `extra` in the prediction only; `type` = the JSON types differ."""
    oracle: JsonValue
    """None where the prediction has something extra."""
    prediction: JsonValue
    """None where something is missing."""


@dataclass(frozen=True, slots=True)
class JsonDiff:
    """All changes, in the order of the oracle; without any exactly when the values are equal."""

    changes: tuple[Change, ...]
    exact: bool
    """Whether arrays were aligned to the end and all changes are listed."""
    reason: str | None
    """Why it is not exact; None when it is."""


def diff_json(oracle: Any, prediction: Any, *, seconds: float = 0.15) -> JsonDiff:
    """Compare two JSON values; aligning arrays takes about so many seconds at the most.

    Small values go through DeepDiff, others through a differ of our own that neither recurses nor takes more than
    linear time outside the alignment of arrays. So do arrays of objects or arrays: DeepDiff pairs their items by place,
    and shows one insertion as a change of all that follows.
    """
    numbers = Numbering()
    if numbers.add(oracle) == numbers.add(prediction):
        return JsonDiff((), True, None)
    if numbers.nodes < _DEEPDIFF_NODES and numbers.depth < _DEEPDIFF_DEPTH and _arrays_are_flat(oracle, prediction):
        changes = _by_deepdiff(oracle, prediction, numbers)
        if changes:
            return JsonDiff(changes, True, None)
    return _Differ(numbers, monotonic() + seconds, seconds).run(oracle, prediction)


def render_path(path: Path) -> str:
    """Return a path for reading, such as `$.a[3].b`; keys that are no plain names stand quoted in brackets."""
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif re.fullmatch(r"[^\W\d]\w*", step):
            parts.append(f".{step}")
        else:
            parts.append(f"[{json.dumps(step, ensure_ascii=False)}]")
    return visible_line("".join(parts))


# --- DeepDiff ------------------------------------------------------------------------------------------------------


def _arrays_are_flat(*values: Any) -> bool:
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if not is_container(value):
            continue
        if not isinstance(value, Mapping) and any(map(is_container, value)):
            return False
        waiting.extend(children(value))
    return True


def _by_deepdiff(oracle: Any, prediction: Any, numbers: Numbering) -> tuple[Change, ...]:
    """Let DeepDiff compare two small values whose scalars are replaced by their numbers as text.

    With the scalars themselves it takes `[1]` for `[true]`, and depending on its options 2**53 + 1 for the float
    2**53, and it runs difflib over texts of several lines.
    """
    from deepdiff import DeepDiff

    tree = DeepDiff(
        _numbered(oracle, numbers),
        _numbered(prediction, numbers),
        ignore_private_variables=False,
        ignore_nan_inequality=True,
        threshold_to_diff_deeper=0,
        view="tree",
    )
    changes = []
    for category, levels in tree.items():
        for level in levels:
            here = tuple(level.path(output_format="list"))
            there = tuple(level.path(output_format="list", use_t2=True))
            if category.endswith("_added"):
                changes.append(Change(there, "extra", None, _at(prediction, there)))
            elif category.endswith("_removed"):
                changes.append(Change(here, "missing", _at(oracle, here), None))
            else:
                changes.append(_changed(here, _at(oracle, here), _at(prediction, there)))
    return tuple(sorted(changes, key=lambda change: _place(change.path, oracle, prediction)))


def _numbered(value: Any, numbers: Numbering) -> Any:
    if isinstance(value, Mapping):
        return {key: _numbered(item, numbers) for key, item in value.items()}
    if is_container(value):
        return [_numbered(item, numbers) for item in value]
    return str(numbers.of(value))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _place(path: Path, oracle: Any, prediction: Any) -> list[tuple[int, int]]:
    """Return a sort key by the order of keys in the oracle, then in the prediction, and by index."""
    place = []
    for step in path:
        if isinstance(step, int):
            place.append((0, step))
        elif isinstance(oracle, Mapping) and step in oracle:
            place.append((0, list(oracle).index(step)))
        else:
            place.append((1, list(prediction).index(step)))
        oracle, prediction = _child(oracle, step), _child(prediction, step)
    return place


def _child(value: Any, step: str | int) -> Any:
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None


def _changed(path: Path, oracle: Any, prediction: Any) -> Change:
    kind: Literal["changed", "type"] = "changed" if json_type(oracle) == json_type(prediction) else "type"
    return Change(path, kind, oracle, prediction)


# --- our own -------------------------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """A pair of values to be compared, or one without a partner; the chain of parents is its path."""

    parent: _Step | None
    here: str | int | None
    """The last step of its path in the oracle; None at the root."""
    there: str | int | None
    """The same in the prediction: items that belong together can have different indexes."""
    side: Literal["both", "missing", "extra"]
    oracle: Any
    prediction: Any


class _Differ:
    """Walks two numbered values without recursion: objects by key, arrays by the longest common subsequence."""

    def __init__(self, numbers: Numbering, deadline: float, seconds: float) -> None:
        self.numbers = numbers
        self.deadline = deadline
        self.seconds = seconds
        self.reason: str | None = None

    def run(self, oracle: Any, prediction: Any) -> JsonDiff:
        changes: list[Change] = []
        waiting = [_Step(None, None, None, "both", oracle, prediction)]
        while waiting:
            step = waiting.pop()
            if len(changes) == _MOST_CHANGES:
                self.reason = f"stopped after {_MOST_CHANGES:,} changes"
                break
            old, new = step.oracle, step.prediction
            if step.side != "both":
                changes.append(Change(_path(step), step.side, old, new))
            elif self.numbers.of(old) == self.numbers.of(new):
                continue
            elif isinstance(old, Mapping) and isinstance(new, Mapping):
                waiting.extend(reversed(list(_inside_objects(step))))
            elif json_type(old) == json_type(new) == "array":
                waiting.extend(reversed(list(self._inside_arrays(step))))
            else:
                changes.append(_changed(_path(step), old, new))
        return JsonDiff(tuple(changes), self.reason is None, self.reason)

    def _inside_arrays(self, step: _Step) -> Iterator[_Step]:
        old, new = step.oracle, step.prediction
        blocks, reached = align(self.numbers.items(old), self.numbers.items(new), self.deadline)
        if reached is not None:
            self.reason = f"stopped aligning arrays after {self.seconds:g} s: the rest is paired by place"
        i = j = 0
        for block in (*blocks, Block(len(old), len(new), 0)):
            paired = min(block.left - i, block.right - j)
            for offset in range(paired):
                yield _Step(step, i + offset, j + offset, "both", old[i + offset], new[j + offset])
            for index in range(i + paired, block.left):
                yield _Step(step, index, None, "missing", old[index], None)
            for index in range(j + paired, block.right):
                yield _Step(step, None, index, "extra", None, new[index])
            i, j = block.left + block.length, block.right + block.length


def _inside_objects(step: _Step) -> Iterator[_Step]:
    old, new = step.oracle, step.prediction
    for key, value in old.items():
        if key in new:
            yield _Step(step, key, key, "both", value, new[key])
        else:
            yield _Step(step, key, None, "missing", value, None)
    for key, value in new.items():
        if key not in old:
            yield _Step(step, None, key, "extra", None, value)


def _path(step: _Step) -> Path:
    path: list[str | int] = []
    at: _Step | None = step
    while at is not None:
        taken = at.there if step.side == "extra" else at.here
        if taken is not None:
            path.append(taken)
        at = at.parent
    return tuple(reversed(path))
