"""The panes of one item: source, input, oracle and prediction, reply. At every size, and one of them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget

from auditor.audit.reasoning_text import reasoning_text
from auditor.audit.review import DIFFERENCE, LINE
from auditor.model import SUBJECT
from auditor.tui.probe_finder import ProbeFinder, ProbeLooked
from auditor.tui.spelling import Spelling
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.comparison_view import ComparisonView
from auditor.tui.widgets.evidence_view import EvidenceView
from auditor.tui.widgets.item_source import ItemSource
from auditor.tui.widgets.item_text import ItemText, joined_words, show_input, show_item_text
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.widgets.preview import Preview
from auditor.tui.widgets.row_sharing import Need, RowSharing, Share
from auditor.tui.widgets.rules_view import RulesView
from auditor.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from auditor.audit.review import Memo, ReviewItem

Alone = Literal["reply", "input", "prompt", "rules"]
"""What lies over all panes; the reasoning lies there as the reply does."""

_BARS_SECONDS = 0.15
"""After which the scroll bars are all there: laying the screen out for one of them would be felt at a key."""

_LEAST = 4
"""Rows of a pane, its title among them, that are left to it whatever another one needs."""


class ItemPanes(Box):
    """All that is known of an item but for the reviewer's own work."""

    SCOPED_CSS = False  # the screen's class for its width decides the layout
    DEFAULT_CSS = """
    ItemPanes {
        width: 1fr;
        height: 1fr;
        layers: panes alone;
        #first, #second { width: 1fr; height: 1fr; }
        Preview { display: none; }
        .alone { layer: alone; width: 100%; height: 100%; display: none; background: $background; }
    }
    .-narrow ItemPanes {
        layout: vertical;
        #first, #second { layout: vertical; }
        #body-divider, #first-divider, #second-divider, #input, #reply { display: none; }
        EvidenceView { height: 2; }
        Preview { display: block; }
    }
    .-narrow.-short ItemPanes Preview { display: none; }
    .-normal ItemPanes {
        layout: horizontal;
        #first, #second { layout: vertical; }
        #source { height: 3fr; }
        #comparison { height: 3fr; }
        #reply { height: 2fr; }
        #first-divider, #second-divider { display: none; }
    }
    .-wide ItemPanes {
        layout: vertical;
        #first, #second { layout: horizontal; }
        #body-divider { display: none; }
    }
    """

    class Compared(Message):
        """The comparison of the item on the screen is there."""

    def __init__(
        self, keys: Mapping[str, str], *, wraps: bool = True, folding: str = "off", runs_probes: bool = True
    ) -> None:
        """`keys` names the key of each action that is spoken of, by the action's id.

        `wraps` says whether long lines are wrapped, `folding` when blocks of a program fold (one of FOLDING), and
        `runs_probes` whether programs that probes ask about are run for the steps around.
        """
        super().__init__()
        self.wraps = wraps
        """Whether long lines are wrapped in all panes."""
        self._reveal_key = keys["item.reveal"]
        self._spelling = Spelling()
        self._source_pane = ItemSource(self._spelling, folding, self._share_rows)
        self.source, self.input, self.reply = self._source_pane.source, TextView(), TextView()
        self.comparison, self._evidence = ComparisonView(self._follow_comparison), EvidenceView()
        self.probes = ProbeFinder(self, self._follow_probe, keys["replay.show"], runs=runs_probes)
        self.comparison.below = self.probes.lines
        self._input_pane = Pane("Input", self.input, id="input")
        self._comparison_pane = Pane("Oracle and prediction", self.comparison, self._evidence, id="comparison")
        self._reply_pane = Pane("Reply", self.reply, id="reply")
        self._preview = Preview(keys["look.input"], keys["look.reply"])
        # One text alone lies over the panes, which keep their size: laying them out anew would be felt.
        self._over = TextView()
        self._over_pane = Pane("Reply", self._over, id="alone")
        self._rules = RulesView()
        self._rules_pane = Pane("Rules", self._rules, id="rules")
        for pane in (self._over_pane, self._rules_pane):
            pane.add_class("alone")
        self._first, self._second = Box(id="first"), Box(id="second")
        self._columns = (
            RowSharing(self._source_pane, self._input_pane, Share(3, 1), self._needs_left),
            RowSharing(self._comparison_pane, self._reply_pane, Share(3, 2), self._needs_right),
        )
        """How rows are shared where source and input have a column of their own."""
        self._halves = (RowSharing(self._first, self._second, Share(1, 1), self._needs_halves),)
        """How rows are shared where these two are above oracle and prediction."""
        self._sharings: tuple[RowSharing, ...] = ()
        self._item: ReviewItem | None = None
        self._reasoning = False
        self._alone: Alone | None = None
        self._focus_before: LineView | None = None
        for view in self._texts:
            view.wraps = wraps

    def compose(self) -> ComposeResult:
        with self._first:
            yield self._source_pane
            yield Divider(id="first-divider")
            yield self._input_pane
        yield Divider(id="body-divider")
        with self._second:
            yield self._comparison_pane
            yield Divider(id="second-divider")
            yield self._reply_pane
        yield self._preview
        yield self._over_pane
        yield self._rules_pane

    def on_mount(self) -> None:
        # Not before the first paint, which would be later by it.
        self.set_timer(_BARS_SECONDS, self._show_scroll_bars)

    def on_unmount(self) -> None:
        self.probes.stop()

    def on_probe_looked(self, message: ProbeLooked) -> None:
        message.stop()
        self.probes.end(message)

    def _show_scroll_bars(self) -> None:
        with self.app.batch_update():
            for view in (*self._texts, self._evidence):
                view.show_scroll_bar()

    # --- rows for what needs them ----------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        if self._item is not None:
            self._show_verdict(self._item)
        sharings = self._columns if self.screen.has_class("-normal") else self._halves
        if sharings is not self._sharings:
            for sharing in self._sharings:
                sharing.give_up()
            if self._sharings:
                for sharing in sharings:
                    sharing.apply()
            self._sharings = sharings
            self.call_after_refresh(self._share_rows)

    def on_item_panes_compared(self) -> None:
        self._share_rows()

    def _share_rows(self) -> None:
        """Give rows that nothing stands in to a pane that is cut; what is cut nowhere moves nothing."""
        if self._item is not None and any([sharing.follow() for sharing in self._sharings]):
            self.call_after_refresh(self._redraw_dividers)

    def _redraw_dividers(self) -> None:
        for divider in self.screen.query(Divider):
            divider.refresh()

    def _needs_left(self) -> tuple[Need, Need]:
        return Need(1 + self.source.rows_wanted, _LEAST), Need(1 + self.input.rows_wanted, _LEAST)

    def _needs_right(self) -> tuple[Need, Need]:
        evidence = self._evidence.outer_size.height
        comparison = Need(1 + self.comparison.rows_wanted + evidence, _LEAST + evidence)
        return comparison, Need(1 + self.reply.rows_wanted, _LEAST)

    def _needs_halves(self) -> tuple[Need, Need]:
        (source, given), (comparison, reply) = self._needs_left(), self._needs_right()
        return max(source, given), Need(max(comparison.rows, reply.rows), comparison.least)

    # --- the views -------------------------------------------------------------------------------------------------

    def views(self) -> list[LineView]:
        """Return the views that can be scrolled now, in the order of the tab key."""
        if self._alone is not None:
            return [self._rules if self._alone == "rules" else self._over]
        evidence = [self._evidence] if self._evidence.is_cut else []
        views: list[LineView] = [self.source, self.input, self.comparison, *evidence, self.reply]
        return [view for view in views if view.region.area and all(node.display for node in view.ancestors_with_self)]

    @property
    def place(self) -> tuple[str, int]:
        """Return where a memo is pinned now: the place and its number, which is 0 where there is none."""
        if self._alone is None and self.screen.focused is self.source:
            return LINE, self.source.chosen_line
        if self._alone is None and self.screen.focused is self.comparison:
            return DIFFERENCE, self.comparison.at + 1 if self.comparison.differences else 0
        return "", 0

    def show_memos(self, memos: Sequence[Memo]) -> None:
        """Mark the places of the item that have memos."""
        self.source.show_memos({memo.number: memo.text for memo in memos if memo.place == LINE})
        self.comparison.show_memos({memo.number: memo.text for memo in memos if memo.place == DIFFERENCE})

    def keep_focus(self) -> None:
        """Give the focus to a view that is there, unless one has it."""
        views = self.views()
        if self.screen.focused not in views:
            self.screen.set_focus(next(iter(views), None))

    @property
    def _texts(self) -> tuple[LineView, ...]:
        return self.source, self.input, self.comparison, self.reply, self._over

    def wrap_lines(self, wraps: bool) -> None:
        """Wrap long lines in every pane, or do not; each stays where it is."""
        self.wraps = wraps
        for view in self._texts:
            view.wrap_lines(wraps)

    @property
    def part_in_focus(self) -> str:
        """Return which part of the item the pane with the focus shows; the reply where it is none."""
        focused = self.screen.focused
        shown: dict[Widget | None, str] = {
            self.source: "source",
            self.input: "input",
            self.comparison: "prediction",
            self._evidence: "prediction",
            self._over: "reply" if self._alone in (None, "rules") else self._alone,
        }
        part = shown.get(focused, "reply")
        return "reasoning" if part == "reply" and self._reasoning else part

    # --- an item ---------------------------------------------------------------------------------------------------

    def show_item(self, item: ReviewItem) -> None:
        """Show an item: each pane at its start, its checkpoint or its first difference."""
        self._item = item
        task = item.task
        self._source_pane.show_item(item)
        show_input(self.input, task)
        self._show_verdict(item)
        self.probes.show_item(item)
        self.comparison.show_item(item)
        self._reasoning = self._reasoning and bool(reasoning_text(item.response))
        self._show_reply(item)
        self._preview.show_texts(task.input, item.response.text)
        self._show_alone(item)
        for pane in (self._source_pane, self._input_pane, self._comparison_pane, self._reply_pane):
            pane.follow()
        self._share_rows()
        if self.screen.focused is self._evidence:
            self.screen.set_focus(self.comparison)

    def _show_verdict(self, item: ReviewItem) -> None:
        """Say how the item was graded, and whose answer it is where the reply has no pane that would say so."""
        whose = item.key.setting if self.screen.has_class("-narrow") else ""
        self._comparison_pane.title.show(detail=joined_words(_verdict_words(item), whose))

    def _show_reply(self, item: ReviewItem) -> None:
        which: ItemText = "reasoning" if self._reasoning else "reply"
        show_item_text(self._reply_pane, self.reply, item, which, self._spelling)

    def _show_alone(self, item: ReviewItem) -> None:
        """Let what lies over the panes be the item's."""
        if self._alone == "rules":
            self._spelling.show_rules(self._rules, self._rules_pane.title, item)
        elif self._alone is not None:
            which: ItemText = "reasoning" if self._alone == "reply" and self._reasoning else self._alone
            show_item_text(self._over_pane, self._over, item, which, self._spelling)

    # --- the comparison --------------------------------------------------------------------------------------------

    def _follow_comparison(self, item: ReviewItem) -> None:
        """Let title and evidence follow the comparison that is on the screen."""
        comparison = self.comparison.comparison
        self._comparison_pane.title.show(name=comparison.title)
        self._show_evidence(item)
        self.post_message(self.Compared())

    def _show_evidence(self, item: ReviewItem) -> None:
        comparison, told = self.comparison.comparison, self.probes.told()
        if item.hidden:
            self._evidence.show_blind(comparison, self._reveal_key, invalid=item.invalid is not None, told=told)
        else:
            self._evidence.show_grade(item.grade, comparison, item.invalid, told)

    def _follow_probe(self) -> None:
        """Show what came of the run of the probe that is on the screen; nothing changes its place."""
        if self._item is not None:
            self.comparison.show_below()
            self._show_evidence(self._item)

    # --- one text alone --------------------------------------------------------------------------------------------

    def toggle_reply(self) -> None:
        """Show the raw reply alone, or all panes again."""
        if self._item is not None:
            if self._reasoning:
                self._reasoning = False
                self._show_reply(self._item)
            self._show_over("reply" if self._alone != "reply" else None)

    def toggle_reasoning(self) -> None:
        """Show the reasoning in place of the reply, or the reply again."""
        if self._item is not None:
            self._reasoning = not self._reasoning
            self._show_reply(self._item)
            if self._alone is not None or not self._reply_pane.display:
                self._show_over("reply")

    def toggle_input(self) -> None:
        """Show the input alone, or all panes again."""
        self._show_over("input" if self._alone != "input" else None)

    def toggle_prompt(self) -> None:
        """Show the prompt alone, or all panes again."""
        self._show_over("prompt" if self._alone != "prompt" else None)

    def toggle_rules(self) -> None:
        """Show the violated rule beside the cited one, or all panes again."""
        self._show_over("rules" if self._alone != "rules" else None)

    def toggle_spelling(self) -> None:
        """Show program, prompt and rules in standard symbols, or as the model was shown them."""
        self._spelling.toggle()
        if (item := self._item) is not None:
            self._source_pane.show_spelling(item)
            self._show_alone(item)

    @property
    def is_standard(self) -> bool:
        """Whether items are shown in standard symbols."""
        return self._spelling.is_standard

    def show_all(self) -> None:
        """Show all panes again."""
        self._show_over(None)

    def _show_over(self, alone: Alone | None) -> None:
        """Lay a text over the panes, or take it away."""
        before, self._alone = self._alone, alone
        if self._item is not None:
            self._show_alone(self._item)
        over = {None: None, "rules": self._rules_pane}
        if over.get(before, self._over_pane) is not over.get(alone, self._over_pane):
            with self.app.batch_update():
                self._over_pane.display = alone not in (None, "rules")
                self._rules_pane.display = alone == "rules"
                for divider in self.query(Divider):
                    divider.visible = alone is None
        if alone is not None:
            if before is None:
                focused = self.screen.focused
                self._focus_before = focused if isinstance(focused, LineView) else None
            self.screen.set_focus(self._rules if alone == "rules" else self._over)
        elif alone is None and before is not None:
            self.screen.set_focus(self._focus_before)


def _verdict_words(item: ReviewItem) -> str:
    """Return what the comparison pane's title says: how the item was graded."""
    words = []
    if "status" not in item.hidden and item.task.target != SUBJECT:
        words.append("not graded yet" if item.grade is None else item.grade.status.value)
        if item.grade is not None and item.grade.finding.mode == "oracle_disputed":
            words.append("disputed")
    if item.invalid is not None:
        words.insert(0, "INVALID")
    return ", ".join(words)
