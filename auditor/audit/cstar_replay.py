"""The run of a C* item's program, rule by rule: what is recorded, where its keys go, and what is said of a step."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from auditor.audit.cstar_item import CStarProgram, LineMark, cstar_program, mark_of_run, standard_source
from auditor.audit.cstar_run import STEPS, parsed_program
from auditor.errors import InputError
from auditor.grading.exact_json import NotJsonError, TooHardError, read_json
from auditor.grading.verdicts import read_verdict
from auditor.store.queue import ReviewItem
from auditor.studies.prex.cstar.machine import run
from auditor.studies.prex.cstar.notation import STANDARD, Notation
from auditor.studies.prex.cstar.recording import Recording
from auditor.studies.prex.cstar.respelling import PlaceMap
from auditor.studies.prex.cstar.rules import Rule, rules_of
from auditor.studies.prex.cstar.syntax_tree import Place
from auditor.text import counted, visible_line

_STEP = re.compile(r"([+-]?)([0-9]{1,18})")
_PLACES = "a step, +500, -500, first, last or violation"
_SHOWN_CONTEXT = 12
_SHOWN_RULES = 200


class CStarSubject(NamedTuple):
    """What is run, and what is predicted of it."""

    program: CStarProgram
    target: str
    oracle: str | None
    prediction: str | None


class Claim(NamedTuple):
    """One thing that is predicted, beside what the run gives."""

    name: str
    given: str | None
    """None = nothing, at this step."""
    predicted: str
    holds: bool | None
    """None where the run gives nothing that it could be compared with."""


class CStarReplay:
    """A recorded run; step 0 is before the first one."""

    def __init__(self, subject: CStarSubject, recording: Recording) -> None:
        self.subject = subject
        self.recording = recording

    @property
    def last(self) -> int:
        """The last step."""
        return len(self.recording)

    @property
    def opening(self) -> int:
        """The step to begin at: the one that violates a rule, else the start."""
        return self.recording.violation or 0

    @property
    def mark(self) -> LineMark | None:
        """What is said of the line at which the run ended, where it did so before the program."""
        return mark_of_run(self.recording.execution)

    @cached_property
    def standard_source(self) -> str:
        """The program in standard symbols."""
        return standard_source(self.subject.program.source, self.subject.program.notation)

    @cached_property
    def _places(self) -> PlaceMap:
        program = self.subject.program
        return PlaceMap(program.source, program.notation, self.standard_source, STANDARD)

    def place(self, at: int, *, standard: bool = False) -> Place | None:
        """Return where in the text a step's construct stands; None at the start, and where that is not known.

        `standard` asks for the place in the text in standard symbols.
        """
        if at == 0:
            return None
        place = self.recording.step(at).place
        return self._places.map(place) if standard else place

    def rule(self, at: int) -> Rule | None:
        """Return the rule that applies at a step; None at the start."""
        return rules_of(self.recording.formalism)[self.recording.step(at).rule - 1] if at else None

    # --- what is predicted -----------------------------------------------------------------------------------------

    def claims(self, at: int) -> list[Claim]:
        """Return what is predicted beside what the run gives: a verdict beside its end, a state beside this step's."""
        prediction = self.subject.prediction
        if prediction is None:
            return []
        if self.subject.target == "state":
            return self._state_claims(prediction, at)
        given = read_verdict(prediction)
        if given is None:
            return []
        execution = self.recording.execution
        verdict = execution.verdict or "no verdict"
        # A run that ended without a verdict says nothing against the predicted one.
        is_known = execution.verdict is not None
        claims = [Claim("verdict", verdict, given.verdict, verdict == given.verdict if is_known else None)]
        if given.verdict == "error" or execution.rule is not None:
            cited = f"Rule {given.rule}" if given.rule is not None else "none"
            violated = f"Rule {execution.rule}" if execution.rule is not None else "none" if is_known else verdict
            claims.append(Claim("rule", violated, cited, violated == cited if is_known else None))
        return claims

    def _state_claims(self, prediction: str, at: int) -> list[Claim]:
        fields = _state_of(prediction)
        if fields is None:
            return []
        state = self.recording.state(at)
        return [
            Claim(
                name,
                str(state[name]) if name in state else None,
                _json(value),
                name in state and type(value) is int and state[name] == value,
            )
            for name, value in fields.items()
        ]

    @property
    def sentences(self) -> list[str]:
        """Say how the run ended, and where its oracle says something else."""
        told = [self.recording.execution.sentence]
        execution, oracle = self.recording.execution, self.subject.oracle
        expected = read_verdict(oracle) if oracle is not None and self.subject.target == "verdict" else None
        given = execution.verdict, execution.rule
        if expected is not None and execution.verdict is not None and given != (expected.verdict, expected.rule):
            rule = f", Rule {expected.rule}" if expected.rule is not None else ""
            told.append(f"The oracle says {expected.verdict}{rule}: the run disputes it.")
        if self.subject.prediction is None:
            told.append("Nothing was predicted.")
        return told


def _json(value: object) -> str:
    try:
        return json.dumps(value)
    except ValueError:  # of so many digits that Python writes none
        return "(a number of very many digits)"


def _state_of(text: str) -> Mapping[str, object] | None:
    try:
        value = read_json(text)
    except (NotJsonError, TooHardError):
        return None
    return value if isinstance(value, Mapping) else None


def cstar_subject(item: ReviewItem) -> CStarSubject:
    """Return what a replay of a C* item runs; raises InputError that says why there is nothing to run."""
    prediction = item.grade.prediction if item.grade else None
    return CStarSubject(cstar_program(item), item.task.target, item.oracle_text, prediction)


def record_run(subject: CStarSubject, check: Callable[[int], None] | None = None, steps: int = STEPS) -> CStarReplay:
    """Run a program and keep its steps; `check` is told how many there are now and then, and ends the run by raising.

    Raises InputError where the text is no program.
    """
    program = subject.program
    tree = parsed_program(program.source, program.notation)
    recording = Recording(tree, program.formalism)
    tell = (lambda: check(len(recording))) if check is not None else None
    recording.execution = run(tree, program.formalism, steps, tell, recording.add)
    return CStarReplay(subject, recording)


# --- where the keys go ---------------------------------------------------------------------------------------------


def neighbour(replay: CStarReplay, at: int, by: int) -> int | None:
    """Return the step so many before or behind one; None where there is none."""
    step = at + by
    return step if 0 <= step <= replay.last else None


def next_statement(replay: CStarReplay, at: int, *, backwards: bool = False) -> int | None:
    """Return the first step of the next statement, or of this one and else the one before; None for none."""
    return _beside(replay.recording.statements, at, backwards=backwards)


def loop_at(replay: CStarReplay, at: int) -> int | None:
    """Return the number of the loop whose turns are gone through from a step: the innermost around it.

    Outside all loops that is the last one above, or else the first below; None where the program has none.
    """
    loops = replay.recording.loops
    if not loops:
        return None
    line, column = _here(replay, at)
    around = replay.recording.loops_around(line, column)
    if around:
        return around[-1]
    above = [number for number, loop in enumerate(loops) if (loop.line, loop.column) < (line, column)]
    return above[-1] if above else 0


def _here(replay: CStarReplay, at: int) -> tuple[int, int]:
    place = replay.place(at)
    return (place.line, place.column) if place is not None else (0, 0)


def next_turn(replay: CStarReplay, at: int, *, backwards: bool = False) -> int | None:
    """Return the step at which the next turn of the loop begins, or this one and else the one before."""
    loop = loop_at(replay, at)
    return None if loop is None else _beside(replay.recording.turns[loop], at, backwards=backwards)


def next_change(replay: CStarReplay, name: str, at: int, *, backwards: bool = False) -> int | None:
    """Return the next step that sets a variable, or the one before; None for none."""
    return _beside(replay.recording.changes_of(name), at, backwards=backwards)


def _beside(steps: Sequence[int], at: int, *, backwards: bool) -> int | None:
    place = bisect_left(steps, at) - 1 if backwards else bisect_right(steps, at)
    return steps[place] if 0 <= place < len(steps) else None


def find_step(replay: CStarReplay, text: str, at: int) -> int:
    """Return the step that a text names; raises InputError where it names none."""
    word = text.replace(",", "").strip().lower()
    if word == "violation" and replay.recording.violation is None:
        raise InputError("no step violates a rule.")
    named = {"first": 0, "last": replay.last, "violation": replay.recording.violation or 0}
    if word in named:
        return named[word]
    found = _STEP.fullmatch(word)
    if found is None:
        raise InputError(f"{visible_line(text, 40)!r} names no step.", hint=f"Write {_PLACES}.")
    number = int(found[2])
    if not found[1] and number > replay.last:
        raise InputError(
            f"this run has no step {number:,}: it has {counted(replay.last, 'step')}.", hint=f"Write {_PLACES}."
        )
    step = number if not found[1] else at + number if found[1] == "+" else at - number
    return max(0, min(step, replay.last))


def lacking(replay: CStarReplay) -> Mapping[str, str]:
    """Return what a run has not got to go to, with the sentence that says so."""
    lacks = {}
    if replay.recording.violation is None:
        lacks["violation"] = "No step of this run violates a rule."
    if not replay.recording.loops:
        lacks["loop"] = "This program has no loop."
    return lacks


# --- what is said of a step ----------------------------------------------------------------------------------------


def step_words(replay: CStarReplay, at: int) -> str:
    """Say in one line which step it is, where, under which rules, and in which iterations of which loops."""
    recording = replay.recording
    if not at:
        return f"before the first of {counted(replay.last, 'step')}"
    step = recording.step(at)
    total = f"{len(recording.statements):,}"
    words = [
        f"step {at:,} of {replay.last:,}",
        f"statement {recording.statement_of(at):,} of {total}",
        f"line {step.place.line}",
    ]
    turn = turn_words(replay, at)
    return " · ".join([*words, turn] if turn else words)


def turn_words(replay: CStarReplay, at: int) -> str:
    """Say in which iterations of which loops a step is: `iteration 3 in line 5`."""
    recording = replay.recording
    line, column = _here(replay, at)
    told = [
        f"{bisect_right(recording.turns[number], at):,} in line {recording.loops[number].line}"
        for number in recording.loops_around(line, column)
    ]
    return f"iteration {', '.join(told[-4:])}" if told else ""


def change_words(replay: CStarReplay, at: int) -> str:
    """Say what a step sets: `i = 3, was 2`; nothing where it sets nothing."""
    change = replay.recording.step(at).change if at else None
    if change is None:
        return ""
    was = f", was {_short(change.old)}" if change.old is not None else ""
    return f"{visible_line(change.name, 40)} = {_short(change.new)}{was}"


def _short(value: int) -> str:
    return visible_line(str(value), 24)


def rules_around(replay: CStarReplay, at: int) -> str:
    """Return the numbers of the rules that lead to the part that makes a step; only the first and last of very many."""
    numbers = [str(number) for number in replay.recording.step(at).through] if at else []
    if len(numbers) > _SHOWN_CONTEXT:
        numbers = [*numbers[:6], "…", *numbers[-5:]]
    return " ".join(numbers)


def rules_to(replay: CStarReplay, at: int, notation: Notation) -> list[str]:
    """Return the rules that lead from the whole program to a step, the outermost first, each with its formal text."""
    if not at:
        return []
    step, rules = replay.recording.step(at), rules_of(replay.recording.formalism)
    numbers = [*step.through, step.rule]
    left_out = len(numbers) - _SHOWN_RULES
    lines = [
        f"{rules[number - 1].label}  {rules[number - 1].name}: {rules[number - 1].formal_line(notation)}"
        for number in numbers[-_SHOWN_RULES:]
    ]
    return [f"… and {left_out:,} more rules around", *lines] if left_out > 0 else lines
