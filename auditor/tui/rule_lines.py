"""Two rules as lines for a width: side by side where there is room, else one above the other. No widget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from auditor.text import visible_line
from auditor.tui.marked_lines import RoleSpan

if TYPE_CHECKING:
    from auditor.audit.cited_rules import CitedRules, Side
    from auditor.studies.prex.cstar.notation import Notation
    from auditor.studies.prex.cstar.rules import Rule

SIDE_BY_SIDE = 100
"""Cells from which on two rules stand side by side."""
_BETWEEN = " │ "
_SHOWN = 2_000


class RuleLine(NamedTuple):
    """One line and how its parts look."""

    text: str
    spans: tuple[RoleSpan, ...] = ()


def rule_lines(rules: CitedRules, width: int, notation: Notation) -> list[RuleLine]:
    """Return the page of both rules, with their symbols in a notation."""
    oracle = ("Oracle", "=", "oracle", rules.oracle)
    prediction = ("Prediction", "+", "prediction", rules.prediction)
    lines: list[RuleLine] = []
    if width >= SIDE_BY_SIDE:
        half = (width - len(_BETWEEN)) // 2
        left, right = (list(_side_lines(*side, half, notation)) for side in (oracle, prediction))
        lines += _beside(left, right, half)
    else:
        lines += [*_side_lines(*oracle, width, notation), RuleLine(""), *_side_lines(*prediction, width, notation)]
    lines.append(RuleLine(""))
    for sentence in rules.sentences:
        lines += [_all(line, "computed") for line in wrapped(f"~ {visible_line(sentence, _SHOWN)}", width, "  ")]
    lines += [_all(line, "muted") for line in wrapped(_what_is_shown(rules, notation), width)]
    return lines


def _what_is_shown(rules: CitedRules, notation: Notation) -> str:
    name = f"The rules of {rules.formalism.value}"
    if rules.notation.key == "standard":
        return f"{name}."
    if notation.key == rules.notation.key:
        return f"{name}, in the program's symbols ({notation.name})."
    return f"{name}, in standard symbols: the model was shown {rules.notation.name}, and never this."


def formal_lines(rule: Rule, width: int, notation: Notation) -> list[str]:
    """Return a rule's formal text for a width; what is wider is wrapped, with its bar as wide as its widest line."""
    lines = rule.formal(notation).split("\n")
    if max(map(cell_len, lines)) <= width:
        return lines
    parts = [line.strip() for line in lines]
    folded = [[part] if part.startswith("──") else wrapped(part, width, "    ") for part in parts]
    widest = max(cell_len(line) for part in folded for line in part if not line.startswith("──"))
    return ["─" * widest if line.startswith("──") else line for part in folded for line in part]


def rule_facts(rule: Rule) -> str:
    """Say what a rule is about."""
    error = f" · states an error: {rule.error}" if rule.error else " · states no error"
    return f"{rule.formalism.value} · {rule.group}{error}"


def _side_lines(name: str, mark: str, role: str, side: Side, width: int, notation: Notation) -> Iterator[RuleLine]:
    head = f"{mark} {name}: {visible_line(side.verdict, 200)}"
    for line in wrapped(head, width, "  "):
        yield _all(line, role)
    if side.rule is not None:
        yield from _of_rule(side.rule, width, notation)
    for line in wrapped(side.absent, width) if side.absent else ():
        yield RuleLine(line)
    if side.elsewhere is not None:
        yield RuleLine("")
        where = f"{side.elsewhere.label} of the other semantics, {side.elsewhere.formalism.value}:"
        yield from (_all(line, "muted") for line in wrapped(where, width))
        yield from _of_rule(side.elsewhere, width, notation)


def _of_rule(rule: Rule, width: int, notation: Notation) -> Iterator[RuleLine]:
    for line in wrapped(f"{rule.label}  {rule.name}", width, "  "):
        yield _all(line, "strong")
    yield from (_all(line, "muted") for line in wrapped(rule_facts(rule), width, "  "))
    yield RuleLine("")
    yield from (RuleLine(line) for line in formal_lines(rule, width, notation))
    yield RuleLine("")
    yield from (RuleLine(line) for line in wrapped(rule.words(notation), width))


def _beside(left: Sequence[RuleLine], right: Sequence[RuleLine], half: int) -> Iterator[RuleLine]:
    """Yield lines of two columns, with a rule between them."""
    nothing = RuleLine("")
    for number in range(max(len(left), len(right))):
        one = left[number] if number < len(left) else nothing
        other = right[number] if number < len(right) else nothing
        start = one.text + " " * max(0, half - cell_len(one.text))
        at = len(start) + len(_BETWEEN)
        moved = (span._replace(start=span.start + at, end=span.end + at) for span in other.spans)
        yield RuleLine(f"{start}{_BETWEEN}{other.text}", (*one.spans, RoleSpan(len(start), at, "rule"), *moved))


def _all(text: str, role: str) -> RuleLine:
    return RuleLine(text, (RoleSpan(0, len(text), role),))


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Wrap a text between words for a width in cells; lines behind the first are indented."""
    lines, line = [], ""
    for word in text.split(" "):
        if line.strip() and cell_len(line) + 1 + cell_len(word) > width:
            lines.append(line)
            line = indent + word
        else:
            line = f"{line} {word}" if line or lines else word
    return [*lines, line]
