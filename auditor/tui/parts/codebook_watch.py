"""The codebook may get another revision from elsewhere: the screen takes it up and says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from textual.worker import Worker

from auditor.tui.parts.review_desk import ReviewDesk
from auditor.tui.review_sentences import tell_revision

if TYPE_CHECKING:
    from auditor.audit.review import TagChoice
    from auditor.tui.parts.retrying import Safely

_SECONDS = 2.0


class CodebookPage(ReviewDesk, Protocol):
    """A screen that shows something of the codebook."""

    @property
    def is_writing(self) -> bool:
        """Say whether a note is being written."""

    def follow_codebook(self) -> None:
        """Show the codebook as it is now."""


class CodebookWatch:
    """Looks now and then whether the codebook has another revision, while its page itself is on the screen."""

    def __init__(
        self, page: CodebookPage, safely: Safely, follow_tags: Callable[[Sequence[TagChoice]], None] = lambda tags: None
    ) -> None:
        """`follow_tags` is told which tags the keys stood for."""
        self._page = page
        self._safely = safely
        self._follow_tags = follow_tags
        self._look: Worker[None] | None = None

    def begin(self) -> None:
        """Begin to look; the review that is left looks no longer."""
        self._page.screen.set_interval(_SECONDS, self._start)

    def _start(self) -> None:
        # One that waits for a busy file is not cut off: the session would have the revision, and the screen not.
        if self._may_follow and (self._look is None or self._look.is_finished):
            self._look = self._page.screen.run_worker(self._safely(self.follow), group="codebook", exit_on_error=False)

    @property
    def _may_follow(self) -> bool:
        """Say whether the tags on the screen may change now: not below another screen, nor under a note."""
        screen = self._page.screen
        return screen.app.screen is screen and not self._page.is_writing

    async def follow(self) -> None:
        """Take up a newer revision, with its keys and labels at once, and say what it changed."""
        page, session = self._page, self._page.session
        if not await page.work.call(session.has_newer_codebook) or not self._may_follow:
            return
        before = session.codebook_revision
        await self.take_up()
        changes = await page.work.call(session.codebook_changes, before)
        page.say(tell_revision(session, changes, page.keys))

    async def take_up(self) -> None:
        """Take up the newest revision without a word."""
        await self._page.work.call(self._page.session.follow_codebook)
        self.show_revision(made_here=False)

    def show_revision(self, *, made_here: bool) -> None:
        """Show the session's revision; unless all that it changed was made here, changed keys ask once more."""
        tags = self._page.choices
        self._page.follow_codebook()
        if not made_here:
            self._follow_tags(tags)
