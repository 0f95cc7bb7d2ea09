"""The implementation of an item beside the others of its problem, one after the other; equal parts stand in one row."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult

from auditor.audit.implementation_words import (
    LEGEND,
    alone_words,
    answer_words,
    fact_words,
    renamed_words,
    row_words,
    similarity_words,
)
from auditor.audit.implementations import Implementation, Implementations
from auditor.audit.related_items import RelatedItems
from auditor.audit.review import ReviewSession
from auditor.text import visible_name
from auditor.tui.actions import Action, Situation
from auditor.tui.screens.over_review import OnClose, OverReviewScreen
from auditor.tui.side_rows import SideTexts, side_texts
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.pane import Pane
from auditor.tui.widgets.sides_head import SidesHead
from auditor.tui.widgets.sides_view import SidesView
from auditor.tui.work import Work

_NAME = 80
_KEPT = 8
"""Comparisons that are kept for going back to them."""
_AT_ONCE = 2_500
"""Pairs of lines that are compared before the next key is looked at; more of them take a moment."""


class SidesScreen(OverReviewScreen):
    """Goes along the other implementations; both programs are rows of one list."""

    closing = "sides.close"
    wrapping = (SidesView,)

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        related: RelatedItems,
        found: Implementations,
        on_close: OnClose,
        *,
        begin_with: str = "",
        folding: str = "auto",
    ) -> None:
        """`begin_with` names the implementation that is shown first, else it is the first of the others."""
        super().__init__(session, work, actions, related, on_close)
        self._found = found
        self._at = found.place_of(begin_with) or 0
        self._texts: dict[int, SideTexts] = {}
        self._is_comparing = False
        self._head = SidesHead()
        self._view = SidesView(folding=folding)
        self._pane = Pane("Side by side", self._view, head=self._head, id="sides")

    def compose(self) -> ComposeResult:
        self._fit_head(self.app.size.width)
        yield self._title
        with Box(id="related"):
            yield self._pane
        yield self._message
        yield self.footer

    async def on_mount(self) -> None:
        self._view.wraps = self.wraps
        self.set_focus(self._view)
        # Long programs take a moment, in which the screen is there already.
        self._show_soon()

    def on_resize(self, event: events.Resize) -> None:
        self._fit_head(event.size.width)
        self.call_after_refresh(self._show_head)

    def _fit_head(self, width: int) -> None:
        found = self._found
        self._head.fit_to(width, answers=any(one.answered is not None for one in (found.own, *found.others)))

    @property
    def scrolled(self) -> LineView:
        return self._view

    @property
    def _other(self) -> Implementation | None:
        return self._found.others[self._at] if self._found.others else None

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _show_title(self) -> None:
        found, total = self._found, len(self._found.others)
        about = [found.setting, f"sample {found.sample}"] if found.setting else []
        self._title.show(
            name=f"Implementations of {found.problem}",
            detail=" · ".join(about),
            extent=f"{self._at + 1:,} of {total:,}, {found.order}" if total else "its only one",
        )

    def _show_soon(self) -> None:
        """Show the other implementation that was gone to, beside the keys."""
        self._show_title()
        if self._other is not None and self._at not in self._texts:
            self._view.show_texts(None)  # no key acts on another one than the title names
            self._pane.title.show(detail="comparing …")
            self._show_head()
            self.show_situation()
        if not self._is_comparing:
            self._is_comparing = True
            self.run_worker(self.safely(self._compare_and_show), group="sides", exit_on_error=False)

    async def _compare_and_show(self) -> None:
        """Show what was gone to last: those that were gone past in the meantime are not compared."""
        try:
            while not await self._show():
                pass
        finally:
            self._is_comparing = False

    async def _show(self) -> bool:
        """Show the other implementation that was gone to; False where another one was gone to meanwhile."""
        at = self._at
        texts = None if self._other is None else await self._compare(at, self._other)
        if at != self._at:
            return False
        self._show_title()
        with self.app.batch_update():
            self._view.show_texts(texts)
            if texts is not None:
                compared = texts.compared
                detail = f"{similarity_words(compared.similarity)} · {row_words(compared.sides)}"
                self._pane.title.show(detail=detail)
            self._show_head()
        self.show_situation()
        self.say(self._told(texts))
        return True

    async def _compare(self, at: int, other: Implementation) -> SideTexts:
        if at not in self._texts:
            if len(self._texts) >= _KEPT:
                self._texts.pop(next(iter(self._texts)))
            # Not in the thread of the session: a mark in the review does not wait for what nobody looks at any more.
            self._texts[at] = await asyncio.to_thread(side_texts, self._found.own, other)
        return self._texts[at]

    @property
    def _takes_long(self) -> bool:
        other = self._other
        return (
            other is not None
            and self._at not in self._texts
            and (self._found.own.lines * other.lines > _AT_ONCE or len(self._found.own.source + other.source) > 50_000)
        )

    def _told(self, texts: SideTexts | None) -> str:
        """Return what there is to say of a comparison."""
        found = self._found
        if texts is None:
            return alone_words(found)
        sides = texts.compared.sides
        reason = f"{sides.reason[0].upper()}{sides.reason[1:]}." if sides.reason else ""
        names = renamed_words(sides)
        renamed = f"{names[0].upper()}{names[1:]}." if names else ""
        return " ".join(filter(None, (found.why_no_answers, reason, renamed))) or LEGEND

    def _show_head(self) -> None:
        own, other = self._words(self._found.own, " (this item)"), self._other
        view = self._view
        self._head.show_sides(own, self._words(other) if other else (), view.other_begins)

    def _words(self, one: Implementation, note: str = "") -> list[str]:
        name = f"{visible_name(one.name, _NAME)}{note}"
        # To count the tokens of a long program takes a moment, and comparing does it anyway.
        facts = fact_words(one) if self._other is None or self._at in self._texts else ""
        return [name, facts, answer_words(one, self._found.test)]

    # --- keys ------------------------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        lacks = {}
        if self._other is None:
            lacks["other"] = alone_words(self._found)
        elif len(self._found.others) == 1:
            lacks["another"] = "The problem has only these two implementations in the file."
        if self._other is not None and self._other.response_id is None:
            blind = "A blind review does not go to an item of the same setting: that would tell which are."
            lacks["item"] = blind if self._found.hides_items else "The file has no item of this implementation."
        return Situation(lacks=lacks)

    async def action_step(self, which: str) -> None:
        """Go to another implementation."""
        self._at = (self._at + (1 if which == "next" else -1)) % len(self._found.others)
        if self._takes_long or self._is_comparing:
            self._show_soon()
        else:
            await self._show()

    def action_step_difference(self, which: str) -> None:
        """Go to another difference."""
        if self._is_comparing:
            self.say("These implementations are still being compared.")
        elif not self._view.step(1 if which == "next" else -1):
            self.say("No lines of these implementations are unlike." if self._other else alone_words(self._found))

    def action_toggle_folds(self) -> None:
        """Fold long equal stretches, or show all lines."""
        if self._is_comparing:
            self.say("These implementations are still being compared.")
        elif told := self._view.toggle_folds():
            self.say(told)

    async def action_review_this(self) -> None:
        """Go on with the review at the other implementation's item."""
        if self._other is not None:
            await self._close(self._other.response_id)

    async def action_close_related(self) -> None:
        """Go back."""
        await self._close(None)
