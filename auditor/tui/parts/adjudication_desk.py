"""What the parts of the adjudication screen use of it beyond what they use of a review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from auditor.tui.parts.review_desk import ReviewDesk

if TYPE_CHECKING:
    from auditor.audit.adjudication import Adjudication
    from auditor.audit.rulings import Case
    from auditor.tui.widgets.decision_list import DecisionList


class AdjudicationDesk(ReviewDesk, Protocol):
    """A screen with one item and what is decided of it."""

    adjudication: Adjudication
    case: Case | None
    """What is on the screen; None before the first item is."""
    rows: DecisionList

    def names(self) -> tuple[str, ...]:
        """Return what the item's annotators are called now."""

    def show_case(self, case: Case, tag: str | None = None) -> None:
        """Show an item's decisions, at a tag or else at the first that needs one."""

    async def go_to(self, response_id: int, tag: str | None = None) -> None:
        """Show another item of the queue, or one outside it."""
