"""The base of the screens that show answers beside the item of the review; the keys act on one of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from auditor.audit.reasoning_text import reasoning_text
from auditor.audit.related_items import RelatedItems
from auditor.audit.review import ReviewItem, ReviewSession
from auditor.tui.actions import Action, Situation
from auditor.tui.parts.reading import texts_at
from auditor.tui.screens.over_review import OnClose, OverReviewScreen
from auditor.tui.spelling import Spelling, has_other_symbols
from auditor.tui.widgets.answer_panel import AnswerPanel
from auditor.tui.widgets.comparison_view import ComparisonView
from auditor.tui.widgets.item_text import ItemText, TextOver
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.source_view import SourceView
from auditor.tui.widgets.text_view import TextView
from auditor.tui.work import Work

__all__ = ["OnClose", "RelatedScreen"]


class RelatedScreen(OverReviewScreen):
    """One of the answers is the chosen one; its texts can be laid over all."""

    wrapping = (ComparisonView, TextView, SourceView)

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        related: RelatedItems,
        on_close: OnClose,
    ) -> None:
        """`related` is closed with the screen."""
        super().__init__(session, work, actions, related, on_close)
        self.spelling = Spelling()
        """In which symbols prompts are shown; as in the review when the screen is opened."""
        self._over = TextOver(self.spelling)

    # --- what is chosen; the screen that builds on it says ---------------------------------------------------------

    @property
    def panel(self) -> AnswerPanel:
        """Return the panel of the answer that the keys act on."""
        raise LookupError("no answer is shown")

    @property
    def scrolled(self) -> LineView:
        """Return the view that the keys scroll."""
        return self._over.text if self._over.which is not None else self.panel.comparison

    @property
    def situation(self) -> Situation:
        item = self.panel.item
        if item is None:
            return Situation()
        return Situation(
            has_input=bool(item.task.input),
            has_reasoning=bool(reasoning_text(item.response)),
            has_prompt=bool(item.task.prompt),
            has_other_symbols=has_other_symbols(item),
            differences=self.panel.comparison.differences,
        )

    def item_or_say(self) -> ReviewItem | None:
        """Return the chosen answer, or say that there is none."""
        if self.panel.item is None:
            self.say("The file holds no response here.", refused=True)
        return self.panel.item

    # --- keys ------------------------------------------------------------------------------------------------------

    def action_step_difference(self, which: str) -> None:
        """Go to another difference of the chosen answer."""
        self.panel.comparison.step(1 if which == "next" else -1)

    async def action_show_code_points(self) -> None:
        """Show the difference of the chosen answer by code points."""
        from auditor.tui.screens.code_points import CodePointScreen

        comparison = self.panel.comparison
        texts = partial(texts_at, comparison, self.panel.item)
        await self.app.push_screen(CodePointScreen(self.actions, texts, lambda: comparison.extent))

    def action_show_reply(self) -> None:
        """Show the raw reply of the chosen answer, or take it away."""
        self._toggle("reply")

    def action_show_reasoning(self) -> None:
        """Show the reasoning of the chosen answer, or take it away."""
        self._toggle("reasoning")

    def action_show_input(self) -> None:
        """Show the input of the chosen answer, or take it away."""
        self._toggle("input")

    def action_show_prompt(self) -> None:
        """Show the prompt of the chosen answer, or take it away."""
        self._toggle("prompt")

    def action_show_standard(self) -> None:
        """Show prompts in standard symbols, or as the model was shown them."""
        if (item := self.item_or_say()) is None:
            return
        if not item.task.prompt:
            self.say("Only prompts have symbols here, and none was recorded with this task.", refused=True)
            return
        self.spelling.toggle()
        self._over.show_item(item)
        if self._over.which != "prompt":
            how = "in standard symbols" if self.spelling.is_standard else "as the model was shown them"
            self.say(f"Prompts are shown {how}; {self.keys['look.prompt']} shows this one.")

    def _toggle(self, which: ItemText) -> None:
        if (item := self.item_or_say()) is not None:
            self._over.toggle(which, item)

    async def action_review_this(self) -> None:
        """Go on with the review at the chosen answer's item."""
        if (item := self.item_or_say()) is not None:
            await self._close(item.response_id)

    async def action_close_related(self) -> None:
        """Take away the text that lies over all, else the screen."""
        if self._over.which is not None:
            self._over.hide()
        else:
            await self._close(None)
