"""The rule that applies at a step: number, name, formal text, words, and the rules that lead there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.tui.marked_lines import RoleSpan
from auditor.tui.rule_lines import RuleLine, formal_lines, rule_facts, wrapped
from auditor.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from auditor.studies.prex.cstar.notation import Notation
    from auditor.studies.prex.cstar.rules import Rule


class RuleView(LineView):
    """One rule in the program's symbols, laid out anew for every width."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Rule, Notation, str] | None = None
        self._marked: list[RuleLine] = []

    def show_rule(self, rule: Rule | None, notation: Notation, around: str) -> None:
        """Show another rule; `around` are the numbers of those that lead to it. None = nothing has happened yet."""
        shown = None if rule is None else (rule, notation, around)
        if shown != self._shown or not self._marked:
            self._shown = shown
            self._lay_rule_out()

    def _lay_rule_out(self) -> None:
        self._marked = list(_lines(self._shown, max(20, self.text_width)))
        self.show_lines([line.text for line in self._marked])

    def follow_size(self) -> None:
        if self.text_width > 0 and self.text_width != self._wrapped.width:
            self._lay_rule_out()
        super().follow_size()

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._marked[line].spans if line < len(self._marked) else ()


def _lines(shown: tuple[Rule, Notation, str] | None, width: int) -> list[RuleLine]:
    if shown is None:
        return [_all("No rule has been applied yet.", "muted")]
    rule, notation, around = shown
    head = f"{rule.label}  {rule.name}"
    lines = [_all(line, "verdict-bad" if rule.error else "strong") for line in wrapped(head, width, "  ")]
    lines += [RuleLine(line) for line in formal_lines(rule, width, notation)]
    lines += [_all(line, "muted") for line in wrapped(rule.words(notation), width)]
    told = f"under the rules {around} · {rule_facts(rule)}" if around else rule_facts(rule)
    return [*lines, *(_all(line, "muted") for line in wrapped(told, width, "  "))]


def _all(text: str, role: str) -> RuleLine:
    return RuleLine(text, (RoleSpan(0, len(text), role),))
