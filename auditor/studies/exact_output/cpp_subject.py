"""A C++ case: its syntax tree by tree-sitter, and its program with counters in it."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from auditor.errors import AuditorError
from auditor.execution.compilers import COMPILERS, compiler_arguments
from auditor.execution.cpp.scope import header_names
from auditor.execution.cpp.tree import NoParserError, Tree
from auditor.execution.cpp.watch import Observed, Value, Watched, observe, watched
from auditor.execution.measures import Measures
from auditor.execution.program import Program
from auditor.studies.exact_output.case import POST, Case, NotAdmittedError, Point, Reason
from auditor.studies.exact_output.checking import Bench, run_once
from auditor.studies.exact_output.cpp_instrument import instrument_cpp, writer_of
from auditor.studies.exact_output.cpp_static import cyclomatic_cpp, nesting_cpp
from auditor.studies.exact_output.propose import FEWEST, MOST_FIELDS, TRIED, loop_line, makes_field, nothing_to_propose
from auditor.studies.exact_output.subject import Instrumented
from auditor.text import visible_line

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOKED_AT = 8
"""Loops whose variables are looked at for proposals."""
_ASSIGNED = ("assignment_expression", "update_expression")


class CppSubject:
    """See `Subject`. A trace's length is the number of statements that began and of conditions that were tested."""

    steps = "statements and conditions"
    seeded = False

    def __init__(self, case: Case) -> None:
        """Parse the program; raises NotAdmittedError where that cannot be done here, or it is none."""
        self.case = case
        if compiler_arguments() is None:
            message = f"C++ programs need a compiler, and neither {' nor '.join(COMPILERS)} is installed."
            raise NotAdmittedError(Reason.LANGUAGE, message)
        self._watched = watched(_parse(case.source), case.fields or ())
        self._tree = self._watched.tree
        self._observed: dict[str, Observed] = {}
        self._moments: dict[tuple[int, int], Observed] = {}

    def program(self, source: str) -> Program:
        """Return a C++ program."""
        return Program.cpp(source)

    def has_loop(self) -> bool:
        """Look for one in the syntax tree."""
        return bool(self._watched.loops)

    def measured(self, bench: Bench, source: str, text: str, where: str, *, state: bool = True) -> Measures:
        """Count statements and conditions. The state has no size: what a C++ program can reach is not to be walked.

        A program that does something else with counters in it, without optimisation and with checks of what it does,
        is refused: what it writes is then not determined by its source.
        """
        is_clean = source == self.case.source
        program = self._watched if is_clean else watched(_parse(source), left_out=writer_of(self._tree))
        found = self._observe(bench, program, text, where)
        if found.run.stdout.decode(errors="replace") != run_once(bench.sandbox, self, source, text, bench, where):
            message = f"{where}: it writes something else when it is compiled without optimisation."
            raise NotAdmittedError(Reason.UNDEFINED, message)
        if is_clean:
            self._observed[text] = found
        return Measures(found.run, found.steps, None, None, None)

    def _observe(
        self, bench: Bench, program: Watched, text: str, where: str, loop: int = -1, iteration: int = 0
    ) -> Observed:
        limits = dataclasses.replace(bench.limits, wall=bench.seconds, cpu=bench.seconds)
        found = observe(bench.sandbox, program, stdin=text.encode(), loop=loop, iteration=iteration, limits=limits)
        said = visible_line(found.run.outcome.sentence, 200)
        if found.undefined:
            message = f"{where}: it does something that C++ leaves undefined (with checks it is {said})."
            raise NotAdmittedError(Reason.UNDEFINED, message)
        if not found.told:
            message = f"{where}: with counters in it, the program {said}"
            raise NotAdmittedError(Reason.NOT_MEASURED, f"{message}{' without its counts.' if 'fin' in said else '.'}")
        return found

    def instrument(self, point: Point, arm: str, *, iteration: int) -> Instrumented:
        """Insert counter and checkpoint; raises NotAdmittedError where a field has no value in JSON."""
        moment = self._moments[point.loop, point.iteration]
        kinds: dict[str, str] = {}
        for name in point.fields:
            seen = [found.get(name) for found in (moment.inside or {}, moment.after or {})]
            if None in seen:
                place = "in the loop" if seen[0] is None else "behind the loop"
                message = f"the field {name} is no variable that is declared {place}."
                raise NotAdmittedError(Reason.FIELD_UNUSABLE, message)
            kind = seen[0].kind if seen[0] is not None else ""
            if kind not in ("int", "bool", "json"):
                raise NotAdmittedError(Reason.FIELD_UNUSABLE, f"the field {name} is {kind}.")
            kinds[name] = kind
        return instrument_cpp(self._tree, point, arm, kinds, iteration=iteration)

    def _moment(self, bench: Bench, line: int, iteration: int) -> Observed:
        """Return the variables before an iteration of the loop at a line, and behind it."""
        key = line, iteration
        if key not in self._moments:
            number = next(at for at, loop in enumerate(self._watched.loops) if self._tree.line(loop) == line)
            text = self.case.long
            self._moments[key] = self._observe(bench, self._watched, text, POST, number, iteration)
        return self._moments[key]

    def iterations_at_end(self, bench: Bench, clean: str, point: Point) -> int:
        """Run the program to where the loop ends."""
        found = self._moment(bench, point.loop, point.iteration)
        number = next(at for at, loop in enumerate(self._watched.loops) if self._tree.line(loop) == point.loop)
        if found.after is None:
            message = f"{POST}: the loop in line {point.loop} never ends behind iteration {point.iteration:,}."
            raise NotAdmittedError(Reason.NOT_REACHED, message)
        return found.begins[number]

    def targets(self, point: Point) -> set[str]:
        """Return what the loop's header declares, and what it counts on with."""
        loop = next(one for one in self._watched.loops if self._tree.line(one) == point.loop)
        return header_names(self._tree, loop) | _assigned(self._tree, loop.child_by_field_name("update"))

    def points(self, bench: Bench) -> list[Point]:
        """Propose loops by their iterations, and variables by how they differ between the checkpoints."""
        case, tree = self.case, self._tree
        counts = self._observed[case.long]
        numbers = [
            number for number, begins in enumerate(counts.begins) if begins and number < len(self._watched.loops)
        ]
        lines = {number: tree.line(self._watched.loops[number]) for number in range(len(self._watched.loops))}
        if case.loop is not None:
            line = loop_line(case, sorted(lines.values()))
            if case.iteration is not None and case.fields is not None:
                return [Point(line, case.iteration, case.fields)]
            numbers = [number for number in numbers if lines[number] == line]
        if not numbers:
            raise NotAdmittedError(Reason.NO_LOOP, "no loop of the program makes an iteration with the long input.")

        def rank(number: int) -> tuple[bool, bool, int, int]:
            begins = counts.begins[number]
            return counts.ends[number] > 1, begins < FEWEST, -begins, lines[number]

        found: list[tuple[bool, Point]] = []
        unreached: list[tuple[int, int]] = []
        looked_at = sorted(numbers, key=rank)[:_LOOKED_AT]
        for number in looked_at:
            iteration = case.iteration or (counts.firsts[number] or counts.begins[number]) // 2 + 1
            moment = self._moment(bench, lines[number], iteration)
            if moment.inside is None or moment.after is None:
                unreached.append((lines[number], iteration))
            fields = case.fields or _fields(tree, self._watched.loops[number], moment)
            if fields:
                found.append((bool(moment.run.stdout), Point(lines[number], iteration, fields)))
        if not found:
            raise nothing_to_propose(unreached, len(looked_at))
        return [point for _, point in sorted(found, key=lambda one: one[0])][:TRIED]

    def branches_preserved(self, bench: Bench) -> bool | None:
        """Say whether the same statements run and the same conditions come out true, and false, with both inputs."""
        ways = [self._observed[text].ways for text in (self.case.short, self.case.long)]
        return ways[0] == ways[1]

    def static_measures(self, source: str) -> dict[str, float]:
        """Return complexity, where lizard is installed, and nesting."""
        complexity = cyclomatic_cpp(source)
        known: dict[str, float] = {} if complexity is None else {"cyclomatic": complexity}
        return {**known, "nesting": nesting_cpp(_parse(source))}


def _parse(source: str) -> Tree:
    try:
        return Tree(source)
    except NoParserError as error:
        raise NotAdmittedError(Reason.LANGUAGE, str(error)) from error
    except AuditorError as error:
        raise NotAdmittedError(Reason.NOT_CPP, error.message) from error


def _fields(tree: Tree, loop: Node, moment: Observed) -> tuple[str, ...] | None:
    """Choose variables that the loop changes, as for Python; they are returned in alphabetical order."""
    inside, post = moment.inside, moment.after
    if inside is None or post is None:
        return None
    own = header_names(tree, loop) | _assigned(tree, loop.child_by_field_name("update"))
    added = _assigned(tree, loop.child_by_field_name("body"), compound_only=True)
    behind = {tree.text(one) for one in tree.walk() if one.type == "identifier" and one.start_byte > loop.end_byte}
    usable = []
    for name in sorted(inside.keys() & post.keys()):
        before, after = _json(inside[name]), _json(post[name])
        if before is not None and after is not None and type(before) is type(after):
            usable.append((before == after, name in own, name not in added | behind, name))
    changing = [one for one in usable if not one[0]]
    if not any(not is_own for _, is_own, *_ in changing):
        return None
    return tuple(sorted(name for *_, name in sorted(changing)[:MOST_FIELDS]))


def _json(value: Value) -> Any:
    """Return the value of a variable if it makes a field, else None."""
    try:
        found = json.loads(value.text) if value.kind in ("int", "bool", "json") else None
    except (ValueError, RecursionError):
        return None
    return found if makes_field(found) else None


def _assigned(tree: Tree, node: Node | None, *, compound_only: bool = False) -> set[str]:
    """Return the variables that a part of the source assigns to, or, with `compound_only`, adds to."""
    found = set()
    for one in tree.walk(node) if node is not None else ():
        if one.type in _ASSIGNED:
            sign = one.child_by_field_name("operator")
            target = one.child_by_field_name("left") or one.child_by_field_name("argument")
            plain = sign is not None and tree.text(sign) == "="
            if target is not None and target.type == "identifier" and not (plain and compound_only):
                found.add(tree.text(target))
    return found
