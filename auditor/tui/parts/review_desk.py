"""What the parts of the review screen use of it, and all that they use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.screen import Screen

    from auditor.audit.review import ReviewItem, ReviewSession, TagChoice
    from auditor.tui.item_clock import ItemClock
    from auditor.tui.setup import Setup
    from auditor.tui.widgets.item_panes import ItemPanes
    from auditor.tui.work import Work


class ReviewDesk(Protocol):
    """A screen with one item of a queue on it."""

    session: ReviewSession
    work: Work
    """Calls of the session go through it, in order and off the event loop."""
    setup: Setup
    keys: Mapping[str, str]
    """The key of each action as a sentence names it."""
    choices: Sequence[TagChoice]
    """The tags that the keys stand for on this screen."""
    panes: ItemPanes
    item: ReviewItem | None
    """What is on the screen; None before the first item is."""
    index: int
    """Where the queue stands; kept while an undo shows an item from outside it."""
    previous: str
    """The id of the action before the one that is being done."""
    clock: ItemClock | None
    """How long the person is at the items; None = no timer runs."""

    @property
    def screen(self) -> Screen[Any]:
        """Return the screen, for the focus, timers, workers and pages over it."""

    def say(self, message: str, *, refused: bool = False, brief: bool = False) -> None:
        """Show a sentence until the next key; a brief one may be cut where its row ends."""

    def show(self, item: ReviewItem) -> None:
        """Show an item; everything changes in one paint."""

    def show_review(self, item: ReviewItem) -> None:
        """Show another state, other tags or another note of the item that is on the screen."""

    def show_situation(self) -> None:
        """Show what can be done now."""


class ItemDesk(ReviewDesk, Protocol):
    """A review that says something of an item when it shows it."""

    def show(self, item: ReviewItem, opening: str = "") -> None:
        """Show an item; everything changes in one paint. `opening` is said with it."""
