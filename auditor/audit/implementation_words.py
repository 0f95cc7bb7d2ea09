"""What is said of implementations side by side, for screens and command line; every text from data is visible."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from auditor.audit.implementations import Implementation, Implementations
from auditor.compare.program_sides import Kind, Sides
from auditor.text import counted, visible_line

SIGNS: Mapping[Kind, str] = MappingProxyType(
    {"equal": "=", "alike": "≈", "changed": "≠", "apart": "<>", "left": "<", "right": ">"}
)
"""What stands between the two lines of a row."""
LEGEND = "= equal, ≈ but for names and white space, ≠ unlike, < > in one only"
_NAME = 60
_MOST_RENAMED = 30


def fact_words(one: Implementation) -> str:
    """Return what an implementation is: `style loops · cyclomatic 4 · 9 lines · 31 tokens`."""
    style = "" if one.style is None else f"style {visible_line(one.style, _NAME)}"
    cyclomatic = "" if one.cyclomatic is None else f"cyclomatic {one.cyclomatic:g}"
    tokens = "" if one.tokens is None else counted(len(one.tokens), "token")
    return " · ".join(filter(None, (style, cyclomatic, counted(one.lines, "line"), tokens)))


def answer_words(one: Implementation, test: str | None) -> str:
    """Return how an implementation was answered: `outputs: 3 right, 1 wrong · t03: ✗ wrong`; empty where nobody was."""
    from auditor.audit.consistency import MARKS

    if one.answered is None:
        return ""
    states = one.answered.states
    told = ", ".join(f"{states[state]:,} {state}" for state in MARKS if states.get(state))
    state = one.answered.on_test
    of_test = f"{visible_line(test or '', _NAME)}: {MARKS[state]} {state}" if state is not None else ""
    return " · ".join(filter(None, (f"outputs: {told}" if told else "no outputs", of_test)))


def similarity_words(similarity: float | None) -> str:
    """Return how similar two implementations are: `Jaccard 0.58`."""
    return "no Jaccard: not both are Python" if similarity is None else f"Jaccard {similarity:.2f}"


def row_words(sides: Sides) -> str:
    """Return how many pairs of lines are of which kind, and how many lines have none: `5 =, 3 ≠, 1 <, 4 >`."""
    kinds: tuple[tuple[Kind, ...], ...] = (("equal",), ("alike",), ("changed",), ("left", "apart"), ("right", "apart"))
    counts = [(sides.count(*some), SIGNS[some[0]]) for some in kinds]
    return ", ".join(f"{count:,} {sign}" for count, sign in counts if count)


def renamed_words(sides: Sides) -> str:
    """Return the renamed names: `renamed: best → top, run → length`; empty where none is."""
    pairs = [f"{visible_line(old, _NAME)} → {visible_line(new, _NAME)}" for old, new in sides.renamed.items()]
    more = f" and {len(pairs) - _MOST_RENAMED:,} more" if len(pairs) > _MOST_RENAMED else ""
    return f"renamed: {', '.join(pairs[:_MOST_RENAMED])}{more}" if pairs else ""


def alone_words(found: Implementations) -> str:
    """Say that there is nothing to compare with."""
    return f"The problem {visible_line(found.problem, _NAME)} has only this implementation in the file."
