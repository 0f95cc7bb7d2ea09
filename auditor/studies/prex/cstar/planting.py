"""The five transformations that make a valid program invalid, each checked by execution under both semantics.

An error is planted only where the valid program's execution comes by, so that it is reached, and where it stands before
anything else that could go wrong: it violates one rule, and that is the rule of its kind.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from auditor.errors import InputError
from auditor.studies.prex.cstar.error_kinds import VIOLATED, PlantedError
from auditor.studies.prex.cstar.machine import STEP_BUDGET, Ending, Execution, Stepper, run
from auditor.studies.prex.cstar.notation import ARITHMETIC, RESERVED
from auditor.studies.prex.cstar.parsing import parse
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.rewriting import Home, expression_replaced, homes_in, replaced, with_expression
from auditor.studies.prex.cstar.rules import Formalism
from auditor.studies.prex.cstar.syntax_tree import (
    Assign,
    Binary,
    Break,
    Continue,
    Declare,
    Expression,
    If,
    Number,
    Place,
    Program,
    Statement,
    Unary,
    Variable,
    While,
    every_expression,
    expression_of,
    names_in,
)

_TRIES = 60
"""Places that are tried before statements of their own are put in front of a program."""
_FRESH = "y u w t q z v p k"


class Planted(NamedTuple):
    """An invalid program made of a valid one."""

    error: PlantedError
    program: Program
    source: str
    """The program's text in the standard notation, in one layout; `program` is read from it."""
    executions: Mapping[Formalism, Execution]
    """What came of it under each formalism."""

    @property
    def place(self) -> Place:
        """Where the error is, in `source`."""
        place = self.executions[Formalism.S].place
        assert place is not None
        return place


class _Visit(NamedTuple):
    """The first time that an execution came by a statement."""

    statement: Statement
    home: Home
    state: Mapping[str, int]
    """The variables that were there, with their values before the statement."""


class _Ground(NamedTuple):
    """A valid program and what is known of its execution."""

    program: Program
    homes: dict[Statement, Home]
    visits: list[_Visit]
    complete: bool
    """Whether the execution reached the end of the text."""
    names: set[str]


class Field:
    """A valid program in which errors are planted; its execution is followed once for all of them."""

    def __init__(self, program: Program, budget: int = STEP_BUDGET) -> None:
        """Follow the program's execution; raises InputError when it is not valid under both formalisms."""
        self._budget = budget
        self._ground = _survey(program, budget)

    def plant(self, error: PlantedError, seed: int | str = 0) -> Planted:
        """Return the program with an error, at a place and in a way that the seed chooses among those that hold.

        Raises InputError when none holds within the budget of steps.
        """
        chance = random.Random(f"{seed}/{error.value}")
        for changed in _changes(self._ground, error, chance):
            source = print_program(changed)
            program = parse(source)
            executions = {formalism: run(program, formalism, self._budget) for formalism in Formalism}
            if all(one.rule == VIOLATED[error][formalism] for formalism, one in executions.items()):
                return Planted(error, program, source, executions)
        raise InputError(f"the program has no place for the error {error.value}.")


def plant(program: Program, error: PlantedError, seed: int | str = 0, budget: int = STEP_BUDGET) -> Planted:
    """Return a valid program with an error planted in it; see `Field`."""
    return Field(program, budget).plant(error, seed)


def _survey(given: Program, budget: int) -> _Ground:
    """Follow the program once, in the layout in which it is printed: there every statement has a place of its own."""
    program = parse(print_program(given))
    by_k = run(program, Formalism.K, budget)
    homes = homes_in(program)
    at = {statement.place[:2]: statement for statement in homes}
    waiting = dict(at)
    visits: list[_Visit] = []
    stepper = Stepper(program, Formalism.S, budget)
    for step in stepper:
        statement = waiting.get(step.place[:2])
        if statement is None or (step.context is not None and step.context[1] is not None):
            continue  # no statement begins there, or the step is one within an expression
        del waiting[step.place[:2]]
        state = dict(stepper.state)
        if step.change is not None and step.change.old is None:
            del state[step.change.name]
        elif step.change is not None and step.change.old is not None:
            state[step.change.name] = step.change.old
        visits.append(_Visit(statement, homes[statement], state))
    execution = stepper.execution
    assert execution is not None
    for one in (execution, by_k):
        if one.verdict != "success":
            raise InputError("errors are planted in valid programs only.", hint=one.sentence)
    return _Ground(program, homes, visits, execution.ending is Ending.COMPLETE, names_in(program))


def _changes(ground: _Ground, error: PlantedError, chance: random.Random) -> Iterator[Program]:
    """Yield programs that may have the error, in random order; where nothing else holds, one with statements for it."""
    visits = list(ground.visits)
    chance.shuffle(visits)
    if error in (PlantedError.BREAK_OUTSIDE_LOOP, PlantedError.CONTINUE_OUTSIDE_LOOP):
        jump: Statement = Break() if error is PlantedError.BREAK_OUTSIDE_LOOP else Continue()
        outside = [visit for visit in visits if not visit.home.in_loop][:_TRIES]
        at_end = chance.randrange(len(outside) + 1)
        for number, visit in enumerate(outside):
            if ground.complete and number == at_end:
                yield Program((*ground.program.statements, jump))
            yield replaced(ground.program, ground.homes, visit.statement, (jump, visit.statement))
        yield Program((jump, *ground.program.statements))
        return
    for visit in visits[:_TRIES]:
        root = expression_of(visit.statement)
        parts = [node for node in every_expression(root) if _is_arithmetic(node)] if root is not None else []
        if root is not None and parts:
            yield _changed(ground, visit, root, parts, error, chance)
    yield Program((*_own_statements(ground, error), *ground.program.statements))


def _changed(
    ground: _Ground,
    visit: _Visit,
    root: Expression,
    parts: list[Expression],
    error: PlantedError,
    chance: random.Random,
) -> Program:
    """Return the program with a part of one expression changed so that evaluating it may violate the rule."""
    statement = visit.statement
    assert isinstance(statement, Assign | If | While)
    before: tuple[Statement, ...] = ()
    part: Expression
    if error is PlantedError.USE_BEFORE_DECLARATION:
        part = chance.choice([node for node in parts if not isinstance(node, Unary | Binary)])
        by: Expression = Variable(_undeclared(ground, visit, chance))
    else:
        part = chance.choice(parts)
        divisor, before = _zero(visit, chance)
        by = Binary("/" if error is PlantedError.DIVIDE_BY_ZERO else "%", part, divisor)
    changed = with_expression(statement, expression_replaced(root, part, by))
    return replaced(ground.program, ground.homes, statement, (*before, changed))


def _is_arithmetic(node: Expression) -> bool:
    return isinstance(node, Variable | Number) or (isinstance(node, Unary | Binary) and node.operator in ARITHMETIC)


def _zero(visit: _Visit, chance: random.Random) -> tuple[Expression, tuple[Statement, ...]]:
    """Return a divisor of zero, and what has to stand before it: a literal, a variable that is 0, or one made so."""
    names = sorted(visit.state)
    zeros = [name for name in names if visit.state[name] == 0]
    way = chance.randrange(3)
    if way == 1 and zeros:
        return Variable(chance.choice(zeros)), ()
    if way == 2 and names:
        name = chance.choice(names)
        return Variable(name), (Assign(name, Number(0)),)
    return Number(0), ()


def _undeclared(ground: _Ground, visit: _Visit, chance: random.Random) -> str:
    """Return a name that is declared only later, if there is one and chance wants it, or else one of no variable."""
    later = sorted(ground.names - set(visit.state))
    if later and chance.random() < 0.5:
        return chance.choice(later)
    return _fresh_name(ground)


def _fresh_name(ground: _Ground) -> str:
    free = (name for name in _FRESH.split() if name not in ground.names)
    numbered = (f"y{number}" for number in range(len(ground.names) + 1) if f"y{number}" not in ground.names)
    name = next(free, None) or next(numbered)
    assert name not in RESERVED
    return name


def _own_statements(ground: _Ground, error: PlantedError) -> tuple[Statement, ...]:
    """Return statements that violate the rule by themselves, for a program that has no expression to change."""
    name = _fresh_name(ground)
    if error is PlantedError.USE_BEFORE_DECLARATION:
        return Assign(name, Variable(name)), Declare(name)
    operator = "/" if error is PlantedError.DIVIDE_BY_ZERO else "%"
    return Declare(name), Assign(name, Binary(operator, Number(1), Number(0)))
