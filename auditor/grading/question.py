"""What a grader is asked and what its parts answer: the question, the verdict, the extraction and their protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from auditor.errors import AuditorError
from auditor.grading.cstar_rules import Formalism
from auditor.model import JsonValue


@dataclass(frozen=True, slots=True)
class Question:
    """What a grader needs of a task."""

    target: str
    """`output`, `state`, `verdict`, `probe` or `input`."""
    oracle: JsonValue
    """Text for `output`, `state` and `input`, else a JSON value."""
    input: str
    source: str = ""
    language: str = ""
    answer_type: str | None = None
    """A probe's declared answer type, in whatever spelling the data uses."""
    siblings: Mapping[str, str] = field(default_factory=dict)
    """Arm name -> oracle text of the other arms of the case."""
    call: str | None = None
    """The call that was asked, e.g. `f([1, 2])`: `answer-tags` splits `call == value` there."""
    formalism: Formalism | None = None
    """The semantics whose rules the oracle and the answer name; None where that is not known."""
    function: str | None = None
    """The function that a predicted call must be of."""


class Verdict(NamedTuple):
    """What a policy says of one prediction."""

    correct: bool
    non_literal: bool
    """Under `python-literal`: the prediction is no literal, so only an evaluation could tell more."""
    why: str
    """The reason in words, without a full stop."""


class Extraction(NamedTuple):
    """What an envelope found in a reply."""

    valid: bool
    """The reply keeps the format that was asked for."""
    rule: str
    """Name of the rule that found the prediction; `none` when nothing was taken."""
    prediction: str | None
    note: str | None = None
    """Why nothing was taken, or what had to be looked past."""
    truncated: bool = False
    """The reply ends inside the object or tag that would hold the answer."""


class NeedsExecutionError(AuditorError):
    """The policy can only decide by running the predicted call, which this engine never does."""


class NoOracleError(AuditorError):
    """The task has no oracle, so that nothing can be compared with it."""


class Policy(Protocol):
    """Decides whether a prediction is right. Implementations never raise for any prediction text."""

    @property
    def name(self) -> str: ...

    def equal(self, oracle: JsonValue, prediction: str, answer_type: str | None = None) -> Verdict:
        """Compare; only `call-equals` raises (NeedsExecutionError)."""
        ...


class Envelope(Protocol):
    """Finds the prediction in a reply. Implementations never raise for any reply text."""

    @property
    def name(self) -> str: ...

    def read(self, reply: str, question: Question, finish: str | None = None) -> Extraction:
        """Extract the answer of a reply that is not blank."""
        ...
