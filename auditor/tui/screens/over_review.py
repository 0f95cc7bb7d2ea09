"""The base of the screens that show something beside the item of the review and mark nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from auditor.audit.related_items import RelatedItems
from auditor.audit.review import ReviewSession
from auditor.tui.actions import Action
from auditor.tui.parts.reading import tell_wrap, tell_wrapped
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.pane import PaneTitle
from auditor.tui.work import Work

OnClose = Callable[["int | None"], Awaitable[None]]
"""Is told which response's item the review goes on with; None = the one that it was at."""


class OverReviewScreen(ActingScreen):
    """Looks only: nothing is marked here, so that the item which a mark is on is always the one of the review."""

    closing: ClassVar[str]
    """The id of the action that closes the screen."""
    wrapping: ClassVar[tuple[type[LineView], ...]]
    """The views whose lines can be wrapped or not."""
    SCOPED_CSS = False
    DEFAULT_CSS = """
    OverReviewScreen {
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
        self._title = PaneTitle("")
        self.wraps = True
        """Whether long lines are wrapped; as in the review when the screen is opened."""

    async def on_mount(self) -> None:
        self._wrap_lines()

    def on_unmount(self) -> None:
        self.related.close()

    @property
    def scrolled(self) -> LineView:
        """Return the view that the keys scroll; the screen that builds on it says."""
        raise LookupError("nothing is scrolled")

    # --- keys ------------------------------------------------------------------------------------------------------

    def action_scroll_pane(self, how: str) -> None:
        """Scroll what is shown."""
        self.scrolled.scroll_by(how)

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or show each as one row."""
        self.wraps = not self.wraps
        self._wrap_lines()
        self.say(tell_wrap(self.keys, wraps=self.wraps))

    def _wrap_lines(self) -> None:
        for view in self.query(LineView):
            if isinstance(view, self.wrapping):
                view.wrap_lines(self.wraps)

    def action_scroll_across(self, how: str) -> None:
        """Scroll what is shown sideways."""
        if self.wraps:
            self.say(tell_wrapped(self.keys), refused=True)
        else:
            self.scrolled.scroll_across(how)

    def action_interrupt(self) -> None:
        """Say how to leave."""
        self.say(f"{self.keys[self.closing]} goes back.")

    async def _close(self, response_id: int | None) -> None:
        # Both are done before the next key, which is the review's.
        await self.app.pop_screen()
        await self._on_close(response_id)
