"""The base of the screens that show answers beside the item of the review; the keys act on one of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from auditor.audit.related_items import RelatedItems
from auditor.audit.review import ReviewItem, ReviewSession
from auditor.tui.actions import Action, Situation
from auditor.tui.parts.reading import tell_wrap, tell_wrapped, texts_at
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.spelling import Spelling, has_other_symbols
from auditor.tui.widgets.answer_panel import AnswerPanel
from auditor.tui.widgets.comparison_view import ComparisonView
from auditor.tui.widgets.item_text import ItemText, TextOver
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.pane import PaneTitle
from auditor.tui.widgets.source_view import SourceView
from auditor.tui.widgets.text_view import TextView
from auditor.tui.work import Work

OnClose = Callable[["int | None"], Awaitable[None]]
"""Is told which response's item the review goes on with; None = the one that it was at."""


class RelatedScreen(ActingScreen):
    """Looks only: nothing is marked here, so that the item which a mark is on is always the one of the review."""

    closing: str
    """The id of the action that closes the screen."""
    SCOPED_CSS = False
    DEFAULT_CSS = """
    RelatedScreen {
        layout: vertical;
        background: $background;

        #related { layout: vertical; width: 1fr; height: 1fr; layers: panes over; }
    }
    """

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        related: RelatedItems,
        on_close: OnClose,
    ) -> None:
        """`related` is closed with the screen."""
        self._message = MessageRule()
        super().__init__(session, work, actions, self._message)
        self.related = related
        self._on_close = on_close
        self.spelling = Spelling()
        """In which symbols prompts are shown; as in the review when the screen is opened."""
        self._over = TextOver(self.spelling)
        self._title = PaneTitle("")
        self.wraps = True
        """Whether long lines are wrapped; as in the review when the screen is opened."""

    async def on_mount(self) -> None:
        self._wrap_lines()

    def on_unmount(self) -> None:
        self.related.close()

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
            has_reasoning=bool(item.response.reasoning),
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

    def action_scroll_pane(self, how: str) -> None:
        """Scroll the chosen answer, or the text that lies over all."""
        self.scrolled.scroll_by(how)

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or show each as one row."""
        self.wraps = not self.wraps
        self._wrap_lines()
        self.say(tell_wrap(self.keys, wraps=self.wraps))

    def _wrap_lines(self) -> None:
        for view in self.query(LineView):
            if isinstance(view, ComparisonView | TextView | SourceView):
                view.wrap_lines(self.wraps)

    def action_scroll_across(self, how: str) -> None:
        """Scroll the chosen answer, or the text that lies over all, sideways."""
        if self.wraps:
            self.say(tell_wrapped(self.keys), refused=True)
        else:
            self.scrolled.scroll_across(how)

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

    def action_interrupt(self) -> None:
        """Say how to leave."""
        self.say(f"{self.keys[self.closing]} goes back.")

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

    async def _close(self, response_id: int | None) -> None:
        # Both are done before the next key, which is the review's.
        await self.app.pop_screen()
        await self._on_close(response_id)
