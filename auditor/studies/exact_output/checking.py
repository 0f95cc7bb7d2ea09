"""Admission: run a case's programs, and refuse it with a named reason unless every check of its construction holds."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from auditor.execution.measures import Measures
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits
from auditor.execution.sandbox import Sandbox
from auditor.formats.json_text import UnusableError, parse_json
from auditor.studies.exact_output.case import INSIDE, LONG, NEVER, POST, SHORT, NotAdmittedError, Point, Reason
from auditor.studies.exact_output.subject import Instrumented, Subject
from auditor.text import counted, visible_line

MEASUREMENTS = 3
"""How often the order of the two traces is measured."""
HASH_SEEDS = (1, 20_261)
"""Seeds of Python's hashes under which outputs must be the same as under seed 0."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the programs of cases run."""

    sandbox: Sandbox
    """With hash seed 0: the one that oracles come from."""
    others: tuple[Sandbox, ...]
    """With other hash seeds."""
    limits: Limits
    seconds: float
    """Time for one measurement."""


@dataclass(frozen=True, slots=True)
class States:
    """The two state tasks of a case at one point, all checks passed."""

    point: Point
    sources: dict[str, Instrumented]
    oracles: dict[str, str]
    iterations: dict[str, int]
    """Before which iteration, and after how many, the checkpoints stand."""


def output_of(bench: Bench, subject: Subject, source: str, text: str, where: str) -> str:
    """Return what a program writes, after two runs and one under each other hash seed; raises NotAdmittedError."""
    others = bench.others if subject.seeded else ()
    outputs = [run_once(box, subject, source, text, bench, where) for box in (bench.sandbox, bench.sandbox, *others)]
    if outputs[0] != outputs[1]:
        raise NotAdmittedError(Reason.NOT_DETERMINISTIC, f"{where}: two runs write different outputs.")
    if outputs.count(outputs[0]) < len(outputs):
        message = f"{where}: the output depends on the seed of Python's hashes."
        raise NotAdmittedError(Reason.NOT_DETERMINISTIC, message)
    return outputs[0]


def run_once(box: Sandbox, subject: Subject, source: str, text: str, bench: Bench, where: str) -> str:
    """Return what a program writes in one run; raises NotAdmittedError where it does not end well."""
    done = box.run(subject.program(source), stdin=text.encode(), limits=bench.limits)
    if not done.outcome.finished:
        reason = Reason.NOT_CPP if done.outcome.ending is Ending.COMPILE_ERROR else Reason.RUN_FAILED
        raise NotAdmittedError(reason, f"{where}: the program {visible_line(done.outcome.sentence, 200)}.")
    try:
        return done.stdout.decode()
    except UnicodeDecodeError:
        raise NotAdmittedError(Reason.NOT_TEXT, f"{where}: the output is not UTF-8.") from None


def clean_outputs(bench: Bench, subject: Subject) -> dict[str, str]:
    """Return the outputs of the clean program on both inputs."""
    outputs, case = {}, subject.case
    for arm, text in ((SHORT, case.short), (LONG, case.long)):
        outputs[arm] = output_of(bench, subject, case.source, text, arm)
        if not outputs[arm].strip():
            raise NotAdmittedError(Reason.NO_OUTPUT, f"{arm}: the program writes nothing that could be predicted.")
    for arm, expected in zip((SHORT, LONG), case.expected, strict=True):
        if expected is not None and not _same(outputs[arm], expected):
            written, wanted = (visible_line(text.strip(), 60) for text in (outputs[arm], expected))
            message = f"{arm}: the program writes {written}, where its source says {wanted}."
            raise NotAdmittedError(Reason.OTHER_OUTPUT, message)
    return outputs


def _same(written: str, expected: str) -> bool:
    """Say whether two texts are the same but for white space around them, or stand for the same Python value."""
    if written.strip() == expected.strip():
        return True
    try:
        values = [ast.literal_eval(text.strip()) for text in (written, expected)]
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return type(values[0]) is type(values[1]) and values[0] == values[1]


def check_order(bench: Bench, subject: Subject) -> dict[str, Measures]:
    """Return the measures of both clean runs, once the short trace is the shorter one in each measurement."""
    kept: dict[str, Measures] = {}
    case = subject.case
    for number in range(MEASUREMENTS):
        lengths = []
        for arm, text in ((SHORT, case.short), (LONG, case.long)):
            # The state, which takes most of the time, is measured of what was not refused before.
            kept[arm] = found = subject.measured(bench, case.source, text, arm, state=number == MEASUREMENTS - 1)
            lengths.append(found.trace_length or 0)
        if lengths[0] >= lengths[1]:
            raise NotAdmittedError(
                Reason.TRACE_ORDER,
                f"measurement {number + 1}: {lengths[0]:,} {subject.steps} with the short input, {lengths[1]:,} with"
                " the long.",
            )
        if case.trace_range is not None and not case.trace_range[0] <= lengths[1] < case.trace_range[1]:
            least, below = case.trace_range
            wanted = f"not {least:,} to {below - 1:,}"
            raise NotAdmittedError(
                Reason.TRACE_RANGE,
                f"measurement {number + 1}: {lengths[1]:,} {subject.steps} with the long input, {wanted}.",
            )
    return kept


def check_states(bench: Bench, subject: Subject, outputs: dict[str, str], point: Point) -> States:
    """Build the two state tasks at a point and check them."""
    case = subject.case
    ended = subject.iterations_at_end(bench, outputs[LONG], point)
    iterations = {INSIDE: point.iteration, POST: ended}
    sources, oracles, states = {}, {}, {}
    for arm in (INSIDE, POST):
        sources[arm] = subject.instrument(point, arm, iteration=iterations[arm])
        text = state_output(bench, subject, sources[arm].source, arm)
        states[arm] = _state_of(text, arm, outputs[LONG], point)
        oracles[arm] = text
    _compare(states[INSIDE], states[POST], point, subject.targets(point))
    for arm in (INSIDE, POST):
        never = subject.instrument(point, arm, iteration=NEVER).source
        for name, text in ((SHORT, case.short), (LONG, case.long)):
            _check_unchanged(bench, subject, never, text, outputs[name], f"{arm} with the input of {name}")
    return States(point, sources, oracles, iterations)


def state_output(bench: Bench, subject: Subject, source: str, arm: str, *, once: bool = False) -> str:
    """Return what an instrumented program writes with the long input, in one run or after all; raises as they do."""
    text = subject.case.long
    try:
        if once:
            return run_once(bench.sandbox, subject, source, text, bench, arm)
        return output_of(bench, subject, source, text, arm)
    except NotAdmittedError as error:
        if error.refusal.reason in (Reason.RUN_FAILED, Reason.NOT_CPP):
            raise NotAdmittedError(Reason.FIELD_UNUSABLE, error.refusal.detail) from error
        raise


def _check_unchanged(bench: Bench, subject: Subject, source: str, text: str, clean: str, where: str) -> None:
    try:
        same = run_once(bench.sandbox, subject, source, text, bench, where) == clean
    except NotAdmittedError as error:
        raise NotAdmittedError(Reason.OUTPUT_CHANGED, error.refusal.detail) from error
    if not same:
        message = f"{where}: the instrumented program writes something else while its checkpoint is out of reach."
        raise NotAdmittedError(Reason.OUTPUT_CHANGED, message)


def state_object(text: str, arm: str) -> dict[str, Any]:
    """Return the one JSON object that a state task's program wrote; raises NotAdmittedError for anything else."""
    line, _, rest = text.partition("\n")
    value = _parsed(line)
    if isinstance(value, dict) and not rest:
        return value
    if isinstance(value, dict):
        raise NotAdmittedError(Reason.NOT_TERMINATED, f"{arm}: the program goes on behind the checkpoint and writes.")
    # What was written before may end without a newline; the state is the last thing that is written.
    glued = text.endswith("}\n") and any(isinstance(_parsed(part), dict) for part in _tails(text))
    if glued or any(isinstance(_parsed(other), dict) for other in rest.splitlines()):
        message = f"{arm}: the program writes something before the checkpoint."
        raise NotAdmittedError(Reason.OUTPUT_BEFORE_CHECKPOINT, message)
    raise NotAdmittedError(Reason.STATE_NOT_JSON, f"{arm}: the state is no JSON object: {visible_line(line, 80)}.")


def _tails(text: str) -> Iterator[str]:
    """Yield the ends of the last line that begin with one of its first hundred opening braces, but not all of it."""
    line = text.rstrip("\n").rpartition("\n")[2]
    starts = (at for at, char in enumerate(line) if char == "{" and at)
    return (line[at:] for at in islice(starts, 100))


def _parsed(line: str) -> object:
    """Return the JSON value of a line; None for what is not JSON."""
    try:
        return parse_json(line.encode())
    except UnusableError:
        return None


def _state_of(text: str, arm: str, clean: str, point: Point) -> dict[str, Any]:
    if text == clean:
        message = f"{arm}: the run never gets there; the loop in line {point.loop} makes too few iterations."
        raise NotAdmittedError(Reason.NOT_REACHED, message)
    state = state_object(text, arm)
    if list(state) != list(point.fields):
        message = f"{arm}: the state has the fields {_listed(list(state))}, not {_listed(point.fields)}."
        raise NotAdmittedError(Reason.FIELDS_DIFFER, message)
    if text not in _compact(state):
        message = f"{arm}: the state is not compact JSON: {visible_line(text, 80)}."
        raise NotAdmittedError(Reason.STATE_NOT_JSON, message)
    return state


def _compact(state: dict[str, Any]) -> tuple[str, str]:
    """Return a state as compact JSON, with other letters than ASCII as escapes and as they are."""
    escaped, plain = (json.dumps(state, separators=(",", ":"), ensure_ascii=ascii_only) for ascii_only in (True, False))
    return f"{escaped}\n", f"{plain}\n"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(visible_line(name, 40) for name in names) or "(none)"


def _compare(inside: dict[str, Any], post: dict[str, Any], point: Point, targets: set[str]) -> None:
    """Check that both states have the same types, and that a field other than the loop's own variable changes."""
    for name in point.fields:
        if type(inside[name]) is not type(post[name]):
            kinds = f"{type(inside[name]).__name__} inside the loop and {type(post[name]).__name__} behind it"
            raise NotAdmittedError(Reason.TYPES_DIFFER, f"the field {name} is {kinds}.")
    if all(inside[name] == post[name] for name in point.fields if name not in targets):
        fields = counted(len(point.fields), "field")
        message = f"none of the {fields} has another value behind the loop, but for the loop's own variable."
        raise NotAdmittedError(Reason.NO_CORE_CHANGE, message)
