"""The rule that the oracle violates beside the rule that the model cites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from auditor.tui.marked_lines import RoleSpan
from auditor.tui.rule_lines import RuleLine, rule_lines
from auditor.tui.widgets.line_view import LineView

if TYPE_CHECKING:
    from auditor.audit.cited_rules import CitedRules
    from auditor.studies.prex.cstar.notation import Notation


class RulesView(LineView):
    """Both rules, laid out anew for every width."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[CitedRules, Notation] | str = ""
        self._marked: list[RuleLine] = []

    def show_rules(self, rules: CitedRules, notation: Notation) -> None:
        """Show the rules of an item, with their symbols in a notation."""
        self._shown = rules, notation
        self._lay_rules_out()

    def show_words(self, words: str) -> None:
        """Say why there are no rules to show."""
        self._shown = words
        self._lay_rules_out()

    def _lay_rules_out(self) -> None:
        width = max(20, self.text_width)
        shown = self._shown
        self._marked = [RuleLine(shown)] if isinstance(shown, str) else rule_lines(shown[0], width, shown[1])
        self.show_lines([line.text for line in self._marked])

    def follow_size(self) -> None:
        if self.text_width > 0 and self.text_width != self._wrapped.width:
            self._lay_rules_out()
        super().follow_size()

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._marked[line].spans if line < len(self._marked) else ()
