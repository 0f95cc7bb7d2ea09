"""One answer among others: its verdict, what is asked, oracle against prediction, and the computed mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult

from auditor.model import Task
from auditor.store.tasks import oracle_text
from auditor.text import visible_line
from auditor.tui.asked import target_words
from auditor.tui.verdicts import NO_ANSWER, Verdict, verdict_of
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.comparison_view import ComparisonView
from auditor.tui.widgets.evidence_view import EvidenceView
from auditor.tui.widgets.facts import Facts
from auditor.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from auditor.audit.review import ReviewItem


class AnswerPanel(Box):
    """A pane with one item's comparison, or with what was asked where there is no response."""

    DEFAULT_CSS = """
    AnswerPanel {
        width: 1fr;
        height: 1fr;

        EvidenceView { height: 3; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.comparison, self._evidence = ComparisonView(self._follow_comparison), EvidenceView()
        self._facts = Facts()
        self._pane = Pane("", self.comparison, self._evidence, head=self._facts)
        self._label = ""
        self._chosen = False
        self.item: ReviewItem | None = None
        """The answer that is shown; None where there is none."""

    def compose(self) -> ComposeResult:
        yield self._pane

    def show_item(self, name: str, item: ReviewItem, note: str = "") -> None:
        """Show an answer from its first difference on; `note` stands behind its verdict."""
        self.item = item
        self._show_head(name, verdict_of(item.grade.status if item.grade else None), item.task, note)
        self.comparison.show_item(item)
        self._pane.follow()

    def show_absent(self, name: str, task: Task) -> None:
        """Show what is asked where the file holds no response."""
        self.item = None
        self._show_head(name, NO_ANSWER, task, "")
        oracle = oracle_text(task.target, task.oracle)
        self.comparison.show_absent(oracle, "(the file holds no response here)")
        self._evidence.show_lines([])
        self._pane.follow()

    def show_nothing(self, name: str) -> None:
        """Show that nothing is asked here."""
        self.item = None
        self._label = name
        self._show_name()
        self._pane.title.show(detail="")
        self._facts.show_facts([])
        self.comparison.show_absent(None, "(nothing is asked here)")
        self._evidence.show_lines([])
        self._pane.follow()

    def show_chosen(self, chosen: bool) -> None:
        """Show whether the keys act on this answer."""
        self._chosen = chosen
        self._show_name()

    def _show_head(self, name: str, verdict: Verdict, task: Task, note: str) -> None:
        self._label = name
        self._show_name()
        self._pane.title.show(detail=" · ".join(filter(None, (str(verdict), note))))
        self._facts.show_facts([("input", task.input), ("asks", target_words(task))])

    def _show_name(self) -> None:
        self._pane.title.show(name=f"{'▸ ' if self._chosen else ''}{visible_line(self._label, 60)}")

    def _follow_comparison(self, item: ReviewItem) -> None:
        self._evidence.show_grade(item.grade, self.comparison.comparison)
