"""The action that opens the replay screen over an item; runs that were recorded are kept for when it comes back."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from auditor.tui.parts.review_desk import ReviewDesk

if TYPE_CHECKING:
    from auditor.audit.replay import Replay, Subject

_KEPT = 3
"""Recorded runs that are kept; each has at most some ten megabytes."""


class Shelved(NamedTuple):
    """A recorded run, and the step at which it was left."""

    replay: Replay
    step: int


class Shelf:
    """The last recorded runs."""

    def __init__(self) -> None:
        self._runs: OrderedDict[Subject, Shelved] = OrderedDict()

    def take(self, subject: Subject) -> Shelved | None:
        """Return a run of exactly this, with this prediction, if it is kept."""
        return self._runs.get(subject)

    def put(self, replay: Replay, step: int) -> None:
        """Keep a run, and forget the one that was put here longest ago."""
        self._runs[replay.subject] = Shelved(replay, step)
        self._runs.move_to_end(replay.subject)
        if len(self._runs) > _KEPT:
            self._runs.popitem(last=False)


class Replaying:
    """Opens the screen; the item of the review stays the one that it was."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk
        self._shelf = Shelf()

    async def action_show_replay(self) -> None:
        """Open the screen, or say why the program cannot be replayed."""
        # What runs programs is a sixth of all that a review would import at its start.
        from auditor.audit.replay import subject_of
        from auditor.tui.screens.replay import ReplayScreen

        desk = self._desk
        assert desk.item is not None
        subject = subject_of(desk.item)
        actions = desk.setup.screens["replay"]
        screen = ReplayScreen(
            desk.session, desk.work, actions, desk.item, subject, self._shelf, unsafe=desk.setup.unsafe
        )
        screen.wraps = desk.panes.wraps
        await desk.screen.app.push_screen(screen)
