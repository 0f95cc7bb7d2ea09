"""Where a run and a prediction part: values in, steps out. A prediction speaks of a state, or of the whole output."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from auditor.execution.cut_values import cut_of
from auditor.execution.landmarks import Check, Landmarks, no_check
from auditor.execution.trace import Trace
from auditor.model import JsonValue

_STEPS_A_CHECK = 4096
_READ_CHARACTERS = 500_000
"""Characters of values that are read as values in one search; what is longer is compared by how Python writes it."""
_LONGEST = 200_000
_WRAPPED = re.compile(r"\A(?:deque|OrderedDict)\((.*)\)\Z", re.DOTALL)


# --- one value -----------------------------------------------------------------------------------------------------


def state_of(text: str | None) -> dict[str, JsonValue] | None:
    """Return the fields that a text says of a state; None when it is no JSON object with each key once."""

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) != len(found):
            raise ValueError
        return made

    if text is None or len(text) > _LONGEST:
        return None
    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def value_of(text: str) -> JsonValue:
    """Return the value that a text writes, as JSON or as Python does; raises ValueError where that is none."""
    if len(text) > _LONGEST:
        raise ValueError
    try:
        value: JsonValue = json.loads(text, parse_constant=_refused)
        return value
    except (ValueError, RecursionError):
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _as_json(ast.literal_eval(text))
        except (SyntaxError, TypeError, RecursionError, MemoryError) as error:
            raise ValueError from error


def _refused(constant: str) -> JsonValue:
    raise ValueError(constant)


def _as_json(value: Any) -> JsonValue:
    """Return a Python value as the JSON value that it is written as; raises ValueError for one that is none."""
    if value is None or type(value) in (bool, int, str):
        return value  # type: ignore[no-any-return]  # of the types that are named
    if type(value) is float and value == value and value not in (float("inf"), float("-inf")):
        return value
    if type(value) in (list, tuple):
        return [_as_json(one) for one in value]
    if type(value) is dict:
        return {_key(key): _as_json(one) for key, one in value.items()}
    raise ValueError


def _key(key: Any) -> str:
    if type(key) is str:
        return key
    if key is None or type(key) in (bool, int, float):
        return json.dumps(key)
    raise ValueError


def same_value(one: JsonValue, other: JsonValue) -> bool:
    """Say whether two JSON values are equal: true is not 1, 1 is 1.0."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_value(item, other[key]) for key, item in one.items())
    if _is_array(one) and _is_array(other):
        return len(one) == len(other) and all(map(same_value, one, other))
    if type(one) in (int, float) and type(other) in (int, float):
        return one == other
    return type(one) is type(other) and one == other


def _is_array(value: JsonValue) -> TypeGuard[Sequence[JsonValue]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def holds(text: str | None, value: JsonValue) -> bool | None:
    """Say whether a variable, by its text in a trace, has a JSON value; None where the text does not tell.

    A variable that is not there has no value, so that is False. A text that was cut, or that of an object, does not
    tell. Tuples and deques count as lists, as JSON writes them.
    """
    if text is None:
        return False
    if text == repr(value) and "..." not in text:
        return True
    if len(text) > _LONGEST:
        return None
    wrapped = _WRAPPED.match(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return same_value(_as_json(ast.literal_eval(wrapped[1] if wrapped else text)), value)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            return None


class _Field:
    """Answers for one field, and remembers the last text and how much it has read."""

    def __init__(self, value: JsonValue) -> None:
        self.value = value
        self._last: str | None = None
        self._answer = holds(None, value)
        self._left = _READ_CHARACTERS
        self.is_exact = True
        self.was_cut = False
        """Whether it had a value that was not kept whole."""

    def holds(self, text: str | None) -> bool | None:
        if text is self._last or text == self._last:
            return self._answer
        if cut_of(text) is not None:
            self.was_cut = True
            self._last, self._answer = text, None
            return None
        if text is not None and self._left < len(text) > 100:
            self.is_exact = False
            self._last, self._answer = text, text == repr(self.value)
            return self._answer
        self._left -= len(text or "")
        self._last, self._answer = text, holds(text, self.value)
        return self._answer


# --- a state -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FieldClaim:
    """One predicted field beside the state at the checkpoint."""

    name: str
    predicted: JsonValue
    text: str | None
    """The variable at the checkpoint; None where there is none of that name, or no checkpoint."""
    holds: bool | None
    """Whether the prediction is right; None where that cannot be told."""
    last_true: int | None
    """The last kept step, up to the checkpoint, at which the variable had the predicted value."""
    parted: int | None
    """Of a wrong field: the step from which on it does not have the predicted value any more, up to the checkpoint;
    where it never had it, the step at which it took the value that it has there."""
    comparable: bool = True
    """Whether the variable of this name is what the field shows: at the checkpoint it has the oracle's value."""
    parted_by: bool = False
    """Whether it may have parted before, at steps whose value was not kept whole."""


@dataclass(frozen=True, slots=True)
class StateClaim:
    """What a predicted state says, and where it was true."""

    checkpoint: int | None
    fields: tuple[FieldClaim, ...]
    together: int | None
    """The last kept step, up to the checkpoint, at which all values that can be compared were as predicted at once."""
    together_after: int | None
    """The first such step behind the checkpoint."""
    is_exact: bool = True
    """Whether every value was read; else some long ones were compared by how Python writes them."""
    cut: tuple[str, ...] = ()
    """The fields whose variables had values that were not kept whole, so that they cannot be compared there."""

    @property
    def contradiction(self) -> int | None:
        """The first step from which on, up to the checkpoint, a field is not what is predicted."""
        return min((one.parted for one in self.fields if one.parted is not None), default=None)


@dataclass(slots=True)
class _Watch:
    """One field during the pass up to the checkpoint."""

    field: _Field
    text: str | None = None
    last_true: int | None = None
    since: int | None = None
    """The first step since it held at which it does not."""
    in_doubt: bool = False
    """Whether there is a step between these two at which that cannot be told."""
    took: int | None = None
    """The step at which it took the text that it has."""

    def see(self, number: int, text: str | None) -> bool | None:
        if text != self.text or self.took is None:
            self.text, self.took = text, number
        answer = self.field.holds(text)
        if answer:
            self.last_true, self.since, self.in_doubt = number, None, False
        elif self.since is None and answer is None:
            self.in_doubt = True
        elif self.since is None:
            self.since = number
        return answer

    @property
    def seen(self) -> tuple[int | None, int | None, int | None, bool]:
        """Return what is known by now: where it last held, where it parted, where it took its value, any doubt."""
        return self.last_true, self.since, self.took, self.in_doubt


def state_claim(
    trace: Trace,
    predicted: Mapping[str, JsonValue],
    checkpoint: int | None,
    oracle: Mapping[str, JsonValue] | None = None,
    check: Check = no_check,
) -> StateClaim:
    """Find where predicted values hold in a trace; `checkpoint` is the step that they are predicted for.

    The fields are variables that the checkpoint's line sees: those of its function, and else the module's. A field
    whose variable has not the oracle's value there is shown and not compared: it says something else than the variable.
    Raises TraceDamagedError, and what `check` raises.
    """
    names = list(predicted)
    function, local, at = scope_at(trace, names, checkpoint)
    comparable = [
        oracle is None or checkpoint is None or name not in oracle or holds(at.get(name), oracle[name]) is not False
        for name in names
    ]
    watches = [_Watch(_Field(value)) for value in predicted.values()]
    used = [place for place, fits in enumerate(comparable) if fits]
    together = after = None
    before: list[tuple[int | None, int | None, int | None, bool]] = []
    for count, (number, texts) in enumerate(trace.values(names, function=function, local=local)):
        if not count % _STEPS_A_CHECK:
            check()
        if checkpoint is not None and number > checkpoint:
            if not before:
                before = [one.seen for one in watches]
            if after is not None:
                break
        answers = [one.see(number, text) for one, text in zip(watches, texts, strict=True)]
        if used and all(answers[place] for place in used):
            if checkpoint is None or number <= checkpoint:
                together = number
            else:
                after = number
    before = before or [one.seen for one in watches]
    fields = []
    for (name, value), fits, seen in zip(predicted.items(), comparable, before, strict=True):
        last_true, since, took, in_doubt = seen
        text = at.get(name)
        right = holds(text, value) if checkpoint is not None and fits else None
        parted = (since if last_true is not None else took) if right is False else None
        doubted = parted is not None and last_true is not None and in_doubt
        fields.append(FieldClaim(name, value, text, right, last_true, parted, fits, doubted))
    is_exact = all(one.field.is_exact for one in watches)
    cut = tuple(name for name, one in zip(names, watches, strict=True) if one.field.was_cut)
    return StateClaim(checkpoint, tuple(fields), together, after, is_exact, cut)


def scope_at(
    trace: Trace, names: Sequence[str], checkpoint: int | None
) -> tuple[str | None, frozenset[str], dict[str, str]]:
    """Return the function that some of the fields belong to, which of them, and all variables there.

    The function is None where all are the module's.
    """
    if checkpoint is None:
        return None, frozenset(), {}
    state = trace.state(checkpoint)
    local = frozenset(names).intersection(state.stack[-1].variables) if state.step.depth > 1 else frozenset()
    return (state.step.function, local, state.variables) if local else (None, local, state.module)


# --- output --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OutputClaim:
    """Where a predicted output parts from the one of the run."""

    written: int
    """The position, in bytes, of the first byte of the run's output that parts; its length where that ends first."""
    predicted: int
    """The position in the prediction."""
    step: int | None
    """The step that wrote that byte, or the last one where the output ends; None where no kept step shows it."""
    ends: bool
    """Whether the run's output ends where the prediction goes on."""


_WORD = re.compile(rb"[^ \t\n\r\x0b\x0c]+")
_SPACE = b" \t\n\r\x0b\x0c"


def first_parting(written: bytes, predicted: bytes, *, exact: bool) -> tuple[int, int] | None:
    """Return the positions in two outputs at which they part; None where they are equal.

    Without `exact` white space only separates: how much of it stands between two words, and at the ends, is no
    difference.
    """
    if exact:
        shorter = min(len(written), len(predicted))
        at = next((i for i in range(shorter) if written[i] != predicted[i]), shorter)
        return None if at == len(written) == len(predicted) else (at, at)
    ours, theirs = list(_WORD.finditer(written)), list(_WORD.finditer(predicted))
    for one, other in zip(ours, theirs, strict=False):
        if one[0] != other[0]:
            shorter = min(len(one[0]), len(other[0]))
            at = next((i for i in range(shorter) if one[0][i] != other[0][i]), shorter)
            return one.start() + at, other.start() + at
    if len(ours) == len(theirs):
        return None
    shared = min(len(ours), len(theirs))
    end = len(written.rstrip(_SPACE)), len(predicted.rstrip(_SPACE))
    return (ours[shared].start() if shared < len(ours) else end[0]), (
        theirs[shared].start() if shared < len(theirs) else end[1]
    )


def output_claim(trace: Trace, marks: Landmarks, predicted: bytes, *, exact: bool) -> OutputClaim | None:
    """Find the first byte of a run's output that parts from a predicted output; None where they are equal."""
    written = trace.run.stdout
    found = first_parting(written, predicted, exact=exact)
    if found is None:
        return None
    ours, theirs = found
    ends = not written[ours:].strip(_SPACE) if not exact else ours == len(written)
    step = (marks.numbers[-1] if marks.numbers else None) if ends else marks.writer_of(ours)
    return OutputClaim(ours, theirs, step, ends)
