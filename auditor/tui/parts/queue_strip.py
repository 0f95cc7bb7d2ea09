"""The action that opens the consistency of the problem of a row of the queue."""

from __future__ import annotations

from typing import Protocol

from auditor.tui.parts.queue_desk import QueueDesk
from auditor.tui.setup import Setup


class StripDesk(QueueDesk, Protocol):
    """A queue that can go to an item, and show one that it does not have."""

    async def go_on(self, index: int | None, said: str = "") -> None:
        """Go back to the review, at a place of the queue that is shown; None = where it was."""

    def show_alone(self, response_id: int, what: str) -> None:
        """Show one item in place of the queue, which going back shows again."""


class QueueStrip:
    """Opens the screen; the item that is chosen there is reviewed, in the queue where it has a place."""

    def __init__(self, desk: StripDesk, setup: Setup) -> None:
        self._desk = desk
        self._setup = setup

    async def action_show_consistency(self) -> None:
        """Open the screen over the queue, or say why there is nothing to show."""
        from auditor.tui.screens.consistency import ConsistencyScreen

        desk = self._desk
        row = desk.view.row(desk.view.index)
        if row is None:
            return
        related = await desk.work.call(desk.session.related)
        try:
            found = await desk.work.call(related.consistency, row.response_id)
        except BaseException:
            related.close()
            raise
        actions = self._setup.screens["consistency"]
        screen = ConsistencyScreen(
            desk.session, desk.work, actions, related, found, row.response_id, self._leave, self._setup
        )
        await desk.screen.app.push_screen(screen)

    async def _leave(self, response_id: int | None) -> None:
        """Review the chosen item, or show it alone where the queue does not have it."""
        desk = self._desk
        if response_id is None:
            desk.show_rows()
        elif (index := desk.session.index_of(response_id)) is not None:
            await desk.go_on(index)
        else:
            desk.show_alone(response_id, "one item of a problem")
            review, back = desk.keys["table.review"], desk.keys["table.close"]
            desk.say(f"The filter leaves this item out, so it stands alone: {review} reviews it, {back} goes back.")
