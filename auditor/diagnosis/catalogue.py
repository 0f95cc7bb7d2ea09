"""All single faults of a program and its input, each once, the likely ones first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest

from auditor.diagnosis.calls import call_faults
from auditor.diagnosis.case import Case
from auditor.diagnosis.expressions import condition_faults, expression_faults
from auditor.diagnosis.fault import Draft, Edit, Fault, Kind, shown
from auditor.diagnosis.misread import misread_arguments, misread_text
from auditor.diagnosis.parsed import Parsed
from auditor.diagnosis.statements import statement_faults

_LENGTH = 50_000
"""Characters of a source, or of an input, that is taken apart; longer ones are not."""


def catalogue(case: Case, evaluated: dict[int, int], is_reached: Callable[[int, int], bool]) -> list[Fault]:
    """Return the faults of a case.

    `evaluated` says how often lines run, and `is_reached` whether any line from one to another does: faults of other
    lines change nothing and are left out. Kinds take turns, so that a search cut short has tried some of each.
    """
    by_kind: dict[Kind, list[Fault]] = {kind: [] for kind in Kind}
    seen: set[str] = set()
    for fault in _of_source(case, evaluated, is_reached, seen) if len(case.source) <= _LENGTH else ():
        by_kind[fault.kind].append(fault)
    by_kind[Kind.INPUT] = list(faults_of_input(case)) if len(case.input) <= _LENGTH else []
    late = by_kind.pop(Kind.BRANCH_ONCE)
    turns = zip_longest(*by_kind.values())
    return [*(fault for turn in turns for fault in turn if fault is not None), *late]


def _of_source(
    case: Case, evaluated: dict[int, int], is_reached: Callable[[int, int], bool], seen: set[str]
) -> Iterator[Fault]:
    try:
        parsed = Parsed(case.source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    seen.add(ast.dump(parsed.tree))
    drafts: tuple[Iterable[Draft], ...] = (
        expression_faults(parsed),
        condition_faults(parsed, evaluated),
        statement_faults(parsed),
        call_faults(parsed),
    )
    for finder in drafts:
        for draft in finder:
            if is_reached(*parsed.statement_lines(draft.edits[0].start)):
                fault = _fault(case, parsed, draft, seen)
                if fault is not None:
                    yield fault


def _fault(case: Case, parsed: Parsed, draft: Draft, seen: set[str]) -> Fault | None:
    """Return a fault with its source; None when that is no program or was there before."""
    source = parsed.edited(draft.edits)
    try:
        tree = ast.parse(source)
        shape = ast.dump(tree)
        compile(tree, "program.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if shape in seen:
        return None
    seen.add(shape)
    edit = draft.edits[0]
    original, line = parsed.slice(edit.start, edit.end), parsed.line(edit.start)
    clause = draft.clause or clause_of(line, original, edit)
    return Fault(draft.kind, line, parsed.column(edit.start), original, edit.text, clause, source, case.input)


def clause_of(line: int, original: str, edit: Edit) -> str:
    """Say of an edit what were otherwise."""
    became = f"were {shown(edit.text)}" if edit.text else "were not there"
    return f"line {line}'s {shown(original)} {became}"


def faults_of_input(case: Case) -> Iterator[Fault]:
    """Yield the faults of a case's input."""
    misreadings = misread_text(case.input) if case.function is None else misread_arguments(case.input)
    seen = {case.input}
    for each in misreadings:
        if each.input not in seen:
            seen.add(each.input)
            yield Fault(Kind.INPUT, None, None, each.original, each.changed, each.clause, case.source, each.input)
