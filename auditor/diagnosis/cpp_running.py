"""Run a C++ program and its faulty variants: many faults are compiled at once, and one is chosen at each run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from auditor.diagnosis.case import Case
from auditor.diagnosis.catalogue import clause_of, faults_of_input
from auditor.diagnosis.cpp_changes import Change, changes
from auditor.diagnosis.fault import Fault, Kind
from auditor.diagnosis.running import Runner
from auditor.errors import AuditorError
from auditor.execution.cpp.tree import Insertions, Tree
from auditor.execution.cpp.watch import Observed, Watched, observe, watched
from auditor.execution.outcome import Ending
from auditor.execution.program import Limits, Program
from auditor.execution.sandbox import Sandbox
from auditor.text import from_bytes, to_bytes

if TYPE_CHECKING:
    from tree_sitter import Node

_TOGETHER = 200
"""Faults that are compiled at once."""
_ATTEMPTS = 6
"""How often faults that do not compile are taken out before the rest is divided."""
_COMPILED_ALONE = 12
"""Faults that fit and whose own program is compiled and run; of further ones the program with all is believed."""
_OPTIONS = ("-O0", "-w", "-fpermissive", "-Wno-narrowing")
_CHOSEN = "AUDITOR_FAULT"
_HEAD = f"""\
#include <cstdlib>
static const int auditor_fault = std::getenv("{_CHOSEN}") ? std::atoi(std::getenv("{_CHOSEN}")) : 0;
"""
_LENGTH = 50_000
_WATCHED = Limits(wall=40, cpu=10)
_MARK = re.compile(r"/\*@(\d*)\*/")
_LINE = re.compile(r"^program\.cpp:(\d+):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A program in which each of some faults can be chosen, by the numbers from 1 of all changes."""

    program: Program
    numbers: frozenset[int]


class CppRunner(Runner):
    """See `Runner`; for a C++ program."""

    def __init__(self, sandbox: Sandbox, case: Case) -> None:
        """Run the program itself once."""
        self._number: dict[str, int] = {}
        self._bundles: list[Bundle] = []
        self._alone = 0
        super().__init__(sandbox, case)

    def answers(self, programs: Iterable[tuple[str, str]]) -> Iterator[str | None]:
        """Yield what sources with their inputs give, each compiled alone; of many faults, only the first ones are."""
        for source, given in programs:
            if source in self._number and self._alone >= _COMPILED_ALONE:
                yield from self.quick_answers([(source, given)])
                continue
            self._alone += source in self._number
            run = self._sandbox.run(Program.cpp(source), stdin=to_bytes(given), limits=self._limits)
            yield self._taken(run, len(run.stdout), from_bytes(run.stdout))

    def quick_answers(self, programs: Iterable[tuple[str, str]]) -> Iterator[str | None]:
        """Yield the same from programs that many faults were compiled into."""
        for source, given in programs:
            number = self._number.get(source)
            bundle = next((one for one in self._bundles if number in one.numbers), None)
            if number is None:
                yield from self.answers([(source, given)])
            elif bundle is None:
                yield None
            else:
                chosen = {_CHOSEN: str(number)}
                run = self._sandbox.run(bundle.program, stdin=to_bytes(given), limits=self._limits, environment=chosen)
                yield self._taken(run, len(run.stdout), from_bytes(run.stdout))

    def faults(self) -> list[Fault]:
        """Return those faults of the program that compile, and those of its input; kinds take turns."""
        by_kind: dict[Kind, list[Fault]] = {kind: [] for kind in Kind}
        for fault in self._of_source() if len(self.case.source) <= _LENGTH else ():
            by_kind[fault.kind].append(fault)
        if len(self.case.input) <= _LENGTH:
            by_kind[Kind.INPUT] = list(faults_of_input(self.case))
        late = by_kind.pop(Kind.BRANCH_ONCE)
        return [*(fault for turn in zip_longest(*by_kind.values()) for fault in turn if fault is not None), *late]

    def _of_source(self) -> list[Fault]:
        try:
            tree = Tree(self.case.source)
        except AuditorError:
            self.is_unreadable = True
            return []
        counted = _Counts(self._sandbox, tree, self.case.input)
        chosen: dict[int, Change] = {}
        faults: dict[int, Fault] = {}
        for change in changes(tree, counted.times, counted.is_reached):
            source = _source(tree, change)
            if source == self.case.source or source in self._number:
                continue
            number = len(chosen) + 1
            chosen[number], self._number[source] = change, number
            edit = change.draft.edits[0]
            original, line = tree.data[edit.start : edit.end].decode(errors="replace"), tree.line_at(edit.start)
            clause = change.draft.clause or clause_of(line, original, edit)
            faults[number] = Fault(
                *(change.draft.kind, line, tree.column_at(edit.start), original, edit.text, clause, source),
                self.case.input,
            )
        numbers = list(chosen)
        for start in range(0, len(numbers), _TOGETHER):
            some = {number: chosen[number] for number in numbers[start : start + _TOGETHER]}
            self._bundles += _compiled(self._sandbox, tree, some)
        compiled = {number for bundle in self._bundles for number in bundle.numbers}
        return [fault for number, fault in faults.items() if number in compiled]


def _source(tree: Tree, change: Change) -> str:
    data = tree.data
    for edit in sorted(change.draft.edits, reverse=True):
        data = data[: edit.start] + edit.text.encode(errors="surrogatepass") + data[edit.end :]
    return data.decode(errors="surrogatepass")


class _Counts:
    """How often the statements and conditions of a program run with an input."""

    def __init__(self, sandbox: Sandbox, tree: Tree, given: str) -> None:
        program: Watched = watched(tree)
        found: Observed = observe(sandbox, program, stdin=to_bytes(given), limits=_WATCHED)
        self._known = found.told and found.run.outcome.finished
        self._statements: dict[int, int] = {}
        self._tests: dict[int, int] = {}
        for place, count in zip(program.places, found.counts if self._known else (), strict=False):
            counts = self._tests if place.is_condition else self._statements
            counts[place.start] = counts.get(place.start, 0) + count

    def times(self, test: Node) -> int:
        """Return how often a condition is tested; 0 where that is not known."""
        return self._tests.get(test.start_byte, 0)

    def is_reached(self, node: Node) -> bool:
        """Say whether the statement that a node is in runs; what is in none, or not known, may."""
        around: Node | None = node
        while around is not None:
            if around.start_byte in self._statements:
                return self._statements[around.start_byte] > 0
            around = around.parent
        return True


def schemata(tree: Tree, chosen: dict[int, Change]) -> str:
    """Return one program with all changes, each in force where its number is chosen in the environment."""
    hosts: dict[tuple[int, int, bool], list[tuple[int, str]]] = {}
    nodes: dict[tuple[int, int, bool], Node] = {}
    for number, change in chosen.items():
        for node, text in change.parts:
            key = node.start_byte, node.end_byte, change.are_statements
            hosts.setdefault(key, []).append((number, text))
            nodes[key] = node
    work = Insertions(tree.data)
    # Outer ones first; of a statement and an expression in the same place, the statement.
    for key in sorted(hosts, key=lambda one: (one[0], -one[1], not one[2])):
        are_statements = key[2]
        parts = []
        for number, text in hosts[key]:
            if are_statements:
                parts.append(f"if (auditor_fault == {number})\n/*@{number}*/ {{ {text} }} /*@*/\nelse ")
            else:
                parts.append(f"auditor_fault == {number} ?\n/*@{number}*/ ({text}) /*@*/\n: ")
        opened, closed = ("{ ", " }") if are_statements else ("(", "))")
        work.wrap(nodes[key], opened + "".join(parts) + ("" if are_statements else "("), closed)
    return _HEAD + work.finish()


def _compiled(sandbox: Sandbox, tree: Tree, chosen: dict[int, Change]) -> Iterator[Bundle]:
    """Compile changes together, without those that do not compile."""
    left = dict(chosen)
    for _ in range(_ATTEMPTS):
        if not left:
            return
        source = schemata(tree, left)
        program = replace(Program.cpp(source), options=_OPTIONS)
        run = sandbox.run(program, limits=_WATCHED, environment={_CHOSEN: "-1"})
        if run.outcome.ending is not Ending.COMPILE_ERROR:
            yield Bundle(program, frozenset(left))
            return
        bad = _blamed(source, run.stderr.decode(errors="replace")) & left.keys()
        if not bad:
            break
        left = {number: change for number, change in left.items() if number not in bad}
    numbers = list(left)
    if len(numbers) > 1:
        for half in (numbers[::2], numbers[1::2]):
            yield from _compiled(sandbox, tree, {number: left[number] for number in half})


def _blamed(source: str, stderr: str) -> set[int]:
    """Return the changes that stand in the lines which a compiler's messages name."""
    at: list[int] = []
    current = 0
    for line in source.split("\n"):
        marks: Sequence[str] = _MARK.findall(line)
        first = next((int(mark) for mark in marks if mark), 0)
        at.append(first or current)
        if marks:
            current = int(marks[-1] or 0)
    return {at[int(line) - 1] for line in _LINE.findall(stderr) if 0 < int(line) <= len(at)} - {0}
