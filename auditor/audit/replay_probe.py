"""A probe in the run of its program: the moment that it asks about, its line's visits, and what the run answers."""

from __future__ import annotations

import bisect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from auditor.audit.asked_probe import AskedProbe, asked_words
from auditor.execution.claims import same_value, value_of
from auditor.execution.cut_values import cut_of
from auditor.execution.landmarks import Check
from auditor.execution.trace import Trace
from auditor.model import JsonValue
from auditor.store.tasks import oracle_text
from auditor.studies.core.asked_moments import FoundMoment, find_moment, visits_of
from auditor.studies.core.probe_moments import Wanted
from auditor.text import counted, visible_line

_SHOWN = 80
_YES, _NO = ("true", "yes"), ("false", "no")


class ProbeQuestion(NamedTuple):
    """A probe with its recorded answer, as what is run knows it."""

    asked: AskedProbe
    question: str
    answer_type: str
    """`integer`, `number`, `boolean`, `string`, `list`, `object` or `null`."""
    answer: str
    """The recorded answer as JSON text."""
    is_judged: bool
    """Whether people judge the probe itself, so that nobody has answered it."""

    @property
    def value(self) -> JsonValue:
        """The recorded answer."""
        value: JsonValue = json.loads(self.answer)
        return value


@dataclass(frozen=True, slots=True)
class ProbeMoment:
    """What a run shows of a probe."""

    question: ProbeQuestion
    step: int | None
    """The step that is asked about, or at which what is counted is complete; None where that is not told."""
    visits: tuple[int, ...]
    """The kept steps that are about to run the probe's line."""
    visit: int | None
    """Which of them is asked about, from 1; None where several are counted, or the end of a loop is meant."""
    span: tuple[int, int] | None
    """The first and the last step of what is counted."""
    names: tuple[str, ...]
    """The variables that the question is about."""
    given: str | None
    """What the run gives, as JSON text; None where that is not known."""
    agrees: bool | None
    """Whether that is the recorded answer; None where it is not known."""
    why: str
    """Why there is no moment, or no answer of the run, in a sentence; nothing where both are there."""

    @property
    def opening(self) -> int | None:
        """The step to begin at: the moment, or else where the line is first visited."""
        return self.step if self.step is not None else next(iter(self.visits), None)

    def visit_at(self, step: int) -> int:
        """Return how many visits of the line have begun at a step."""
        return bisect.bisect_right(self.visits, step)


def find_probe(question: ProbeQuestion, trace: Trace, source: str, checkpoint: int | None, check: Check) -> ProbeMoment:
    """Find in a trace what a probe asks about; `checkpoint` is the step of its task's checkpoint, where there is one.

    Raises TraceDamagedError where the program wrote into the trace, and what `check` raises.
    """
    asked = question.asked
    visits = visits_of(trace, asked.line, check) if asked.line is not None else ()
    found, why = None, _why_unknown(asked, visits, trace)
    check()
    if not why and asked.kind is not None and asked.line is not None:
        try:
            found = find_moment(trace, source, Wanted(asked.kind, asked.line, asked.n, asked.variable))
        except (SyntaxError, RecursionError):
            why = "The program cannot be taken apart, so which moment is meant is not known."
        if found is None and not why:
            why = f"This run has no such moment as the probe asks about ({asked_words(asked)})."
    if found is None:
        names = (asked.variable,) if asked.variable is not None else ()
        told = _at_checkpoint(question, trace, checkpoint)
        return ProbeMoment(question, checkpoint, visits, None, None, names, *told, why)
    given = None if found.answer is None else found.answer.value
    agrees = None if found.answer is None else same_value(given, question.value)
    if found.answer is None:
        why = f"What the run has there is no value that can be compared{_as_written(trace, found, asked)}."
    text = None if found.answer is None else oracle_text("probe", given)
    return ProbeMoment(question, found.step, visits, found.visit, found.span, found.names, text, agrees, why)


def _at_checkpoint(question: ProbeQuestion, trace: Trace, checkpoint: int | None) -> tuple[str | None, bool | None]:
    """Return what the asked variable is at the checkpoint of the task, and whether that is the recorded answer."""
    name = question.asked.variable
    text = trace.state(checkpoint).variables.get(name) if checkpoint is not None and name is not None else None
    if text is None or name in trace.loose or cut_of(text) is not None:
        return None, None
    try:
        value = value_of(text)
    except ValueError:
        return None, None
    return oracle_text("probe", value), same_value(value, question.value)


def _why_unknown(asked: AskedProbe, visits: Sequence[int], trace: Trace) -> str:
    """Say why the moment cannot be looked for in a run; nothing where it can."""
    if asked.line is None:
        return "The record names no line, so only the question says what is asked about."
    reached = f"which runs {counted(len(visits), 'time')}" if visits else "which the run does not reach"
    if asked.kind is None:
        return (
            f"The record names line {asked.line:,}, {reached}, and not which moment: the question says that in words."
        )
    if trace.cut is not None:
        return "The run is not kept whole, so its visits and iterations cannot be counted to the moment."
    if asked.variable is not None and asked.variable in trace.loose:
        name = visible_line(asked.variable, 60)
        return f"{name} is too large to be compared at every step, so what the run answers is not known."
    return ""


def _as_written(trace: Trace, found: FoundMoment, asked: AskedProbe) -> str:
    if asked.variable is None:
        return ""
    text = trace.state(found.step).stack[-1].variables.get(asked.variable)
    return ": there is none of this name" if text is None else f": {visible_line(text, _SHOWN)}"


def predicted_fields(moment: ProbeMoment, prediction: str | None, *, is_correct: bool) -> Mapping[str, JsonValue]:
    """Return what is predicted of the variable that a probe asks for; nothing where it asks for none, or that is none.

    An answer that was graded as correct counts as the recorded one, however it is spelled.
    """
    question = moment.question
    if prediction is None or question.asked.variable is None or moment.step is None or question.is_judged:
        return {}
    if is_correct:
        return {question.asked.variable: question.value}
    try:
        return {question.asked.variable: _predicted(question.answer_type, prediction.strip())}
    except ValueError:
        return {}


def _predicted(kind: str, text: str) -> JsonValue:
    """Return the value that an answer of a kind says; raises ValueError where it is of another kind."""
    if kind == "boolean":
        if text.lower() not in (*_YES, *_NO):
            raise ValueError
        return text.lower() in _YES
    if kind != "string":
        value = value_of(text)
        if kind == "integer" and type(value) is not int:
            raise ValueError  # 1.0 is no answer to a question for an integer
        return value
    try:
        value = value_of(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text


# --- what is said --------------------------------------------------------------------------------------------------


def answer_sentence(moment: ProbeMoment) -> str:
    """Say what the run answers, and whether that is the recorded answer."""
    recorded = visible_line(moment.question.answer, _SHOWN)
    why = f" {moment.why}" if moment.why else ""
    if moment.given is None:
        return f"The recorded answer is {recorded}.{why}"
    given = visible_line(moment.given, _SHOWN)
    if moment.agrees:
        return f"The run answers {given}, as is recorded.{why}"
    return f"The run answers {given}, and the recorded answer is {recorded}: they differ.{why}"


def place_sentence(moment: ProbeMoment) -> str:
    """Say where in the run that is: `step 54, visit 3 of 4 of line 9`."""
    asked, count = moment.question.asked, len(moment.visits)
    told = [f"step {moment.step:,}"] if moment.step is not None else []
    if moment.visit is not None:
        told.append(f"visit {moment.visit:,} of {count:,} of line {asked.line:,}")
    elif asked.line is not None:
        told.append(f"line {asked.line:,} has {counted(count, 'visit')}")
    if moment.span is not None:
        told.append(f"counted over steps {moment.span[0]:,}-{moment.span[1]:,}")
    return ", ".join(told)


def moment_words(moment: ProbeMoment, step: int) -> str:
    """Say what a step is to the probe: `visit 2 of 4 of line 9`, `◆ what is asked about`, or that it is counted."""
    told = []
    if step == moment.step:
        told.append("◆ what is asked about")
    elif moment.span is not None and moment.span[0] <= step <= moment.span[1]:
        told.append("in what is counted")
    place = moment.visit_at(step)
    if place and moment.visits[place - 1] == step:
        told.append(f"visit {place:,} of {len(moment.visits):,}")
    return " · ".join(told)
