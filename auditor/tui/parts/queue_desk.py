"""What the parts of the queue screen use of it, and all that they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.screen import Screen

    from auditor.audit.queue_ids import ReviewQueue
    from auditor.audit.queue_table import QueueTable
    from auditor.audit.review import ReviewSession, TagChoice
    from auditor.tui.widgets.queue_table import QueueTableView
    from auditor.tui.work import Work


class QueueDesk(Protocol):
    """A screen with the session's queue as a table."""

    session: ReviewSession
    work: Work
    """Calls of the session go through it, in order and off the event loop."""
    keys: Mapping[str, str]
    """The key of each action as a sentence names it."""
    choices: Sequence[TagChoice]
    """The tags that the keys stand for on this screen."""
    table: QueueTable
    view: QueueTableView
    where: str
    """The filter of the items that are shown, as the person wrote it."""
    order: str
    previous: str
    """The id of the action before the one that is being done."""

    @property
    def screen(self) -> Screen[Any]:
        """Return the screen, for the focus and workers."""

    def say(self, message: str, *, refused: bool = False) -> None:
        """Show a sentence until the next key."""

    def show_rows(self) -> None:
        """Show the session's queue as it is now."""

    def show_situation(self) -> None:
        """Show what can be done now."""

    async def look_for(self, where: str, order: str | None) -> ReviewQueue:
        """Begin to look for the items of a filter; raises AuditorError for one that cannot be used."""

    async def show_found(self, queue: ReviewQueue, where: str, order: str | None) -> None:
        """Show what was looked for; raises AuditorError when the search ended and found nothing."""

    def choose_among(self, places: Sequence[int], what: str) -> None:
        """Show only the items at some places, to choose one; Enter goes to it in the whole queue."""

    async def go_on(self, index: int | None) -> None:
        """Go back to the review, at a place of the queue that is shown; None = where it was."""
