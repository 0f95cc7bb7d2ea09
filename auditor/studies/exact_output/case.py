"""The words of the builder: a case, its checkpoint, why a case is refused, and what came of building one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from auditor.model import Scalar, Task

SHORT, LONG, INSIDE, POST = "short-trace-final", "long-trace-final", "inside-loop-state", "post-loop-state"
ARMS = (SHORT, LONG, INSIDE, POST)
"""The four tasks of a case."""
NEVER = 10**18
"""An iteration that no run reaches: the instrumented program then does what the clean one does."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Inputs from which the builder takes the two of a case, by the length of their traces."""

    inputs: tuple[str, ...]
    first_is_short: bool = False
    """The first one is the short input; only the long one is chosen."""
    too_long: int = 0
    """Inputs that were left out because they have too many characters."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program with its two inputs; what is None of loop, iteration and fields is proposed by the builder."""

    name: str
    source: str
    short: str
    long: str
    language: str = "python"
    study: str | None = None
    loop: int | str | None = None
    """The line at which the loop begins, from 1, or its header as it stands there without indentation."""
    iteration: int | None = None
    """The inside checkpoint stands before this iteration of the loop, counted from 1 over the whole run."""
    fields: tuple[str, ...] | None = None
    """The variables of the state, in their order."""
    facets: Mapping[str, Scalar] = field(default_factory=dict)
    offer: Offer | None = None
    """Inputs to choose from, in place of `short` and `long`."""
    expected: tuple[str | None, str | None] = (None, None)
    """What the program must write with the short and the long input, apart from white space around it."""
    trace_range: tuple[int, int] | None = None
    """The trace length of the long input is at least the first number and below the second."""


@dataclass(frozen=True, slots=True)
class Point:
    """Where the states of a case are taken."""

    loop: int
    """The line of the clean source at which the loop begins."""
    iteration: int
    fields: tuple[str, ...]


class Reason(StrEnum):
    """Why a case is refused; the values are stable names."""

    LANGUAGE = "language"
    NOT_PYTHON = "not_python"
    NOT_CPP = "not_cpp"
    UNDEFINED = "undefined"
    INPUTS = "inputs"
    RUN_FAILED = "run_failed"
    NOT_TEXT = "not_text"
    NO_OUTPUT = "no_output"
    NOT_DETERMINISTIC = "not_deterministic"
    OTHER_OUTPUT = "other_output"
    NOT_MEASURED = "not_measured"
    TRACE_ORDER = "trace_order"
    TRACE_RANGE = "trace_range"
    NO_LOOP = "no_loop"
    NO_FIELDS = "no_fields"
    NOT_REACHED = "not_reached"
    FIELD_UNUSABLE = "field_unusable"
    OUTPUT_BEFORE_CHECKPOINT = "output_before_checkpoint"
    NOT_TERMINATED = "not_terminated"
    STATE_NOT_JSON = "state_not_json"
    FIELDS_DIFFER = "fields_differ"
    TYPES_DIFFER = "types_differ"
    NO_CORE_CHANGE = "no_core_change"
    OUTPUT_CHANGED = "output_changed"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason against a case, with the facts."""

    reason: Reason
    detail: str
    """One sentence: which arm or input, and what happened there."""


class NotAdmittedError(Exception):
    """A case fails a check of its construction."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.refusal = Refusal(reason, detail)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of building a case: its tasks, or the reason for which it is refused."""

    study: str
    case: str
    tasks: tuple[Task, ...] = ()
    """The four tasks; none when the case is refused."""
    refusal: Refusal | None = None
    point: Point | None = None
    """Where the states are taken; the first one that was tried when the case is refused."""

    @property
    def admitted(self) -> bool:
        """Whether all checks passed."""
        return self.refusal is None
