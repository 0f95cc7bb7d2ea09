"""The action that opens the replay screen over an item; runs that were recorded are kept for when it comes back."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from auditor.grading.cstar_rules import CSTAR_LANGUAGES
from auditor.tui.parts.review_desk import ReviewDesk

if TYPE_CHECKING:
    from auditor.audit.cstar_replay import CStarReplay
    from auditor.audit.replay import Replay
    from auditor.audit.review import ReviewItem
    from auditor.tui.parts.probing import Probing

_KEPT = 3
"""Recorded runs that are kept; each has at most some ten megabytes."""


class Run(Protocol):
    """A recorded run of anything."""

    @property
    def subject(self) -> Hashable:
        """What was run, with what is predicted of it."""


_Run = TypeVar("_Run", bound=Run)


class Shelved(NamedTuple, Generic[_Run]):
    """A recorded run, and the step at which it was left."""

    replay: _Run
    step: int


class Shelf(Generic[_Run]):
    """The last recorded runs."""

    def __init__(self) -> None:
        self._runs: OrderedDict[Hashable, Shelved[_Run]] = OrderedDict()

    def take(self, subject: Hashable) -> Shelved[_Run] | None:
        """Return a run of exactly this, with this prediction, if it is kept."""
        return self._runs.get(subject)

    def put(self, replay: _Run, step: int) -> None:
        """Keep a run, and forget the one that was put here longest ago."""
        self._runs[replay.subject] = Shelved(replay, step)
        self._runs.move_to_end(replay.subject)
        if len(self._runs) > _KEPT:
            self._runs.popitem(last=False)


class Replaying:
    """Opens the screen; the item of the review stays the one that it was."""

    def __init__(self, desk: ReviewDesk, probing: Probing) -> None:
        self._desk = desk
        self._probing = probing
        self._shelf: Shelf[Replay] = Shelf()
        self._cstar_shelf: Shelf[CStarReplay] = Shelf()

    async def action_show_replay(self) -> None:
        """Open the screen, or say why the program cannot be replayed."""
        item = self._desk.item
        assert item is not None
        if item.task.language.lower() in CSTAR_LANGUAGES:
            await self._show_cstar(item)
            return
        # What runs programs is a sixth of all that a review would import at its start.
        from auditor.audit.replay import subject_of
        from auditor.tui.screens.replay import ReplayScreen

        desk = self._desk
        assert desk.item is not None
        subject = subject_of(desk.item)
        known = desk.panes.probes.replay_of(desk.item)
        if known is not None and known.subject == subject and self._shelf.take(subject) is None:
            self._shelf.put(known, known.opening)
        actions = desk.setup.screens["replay"]
        screen = ReplayScreen(
            desk.session, desk.work, actions, desk.item, subject, self._shelf, unsafe=desk.setup.unsafe
        )
        screen.wraps, screen.probing = desk.panes.wraps, self._probing
        await desk.screen.app.push_screen(screen)

    async def _show_cstar(self, item: ReviewItem) -> None:
        """Open the screen of a C* program, which needs no sandbox."""
        from auditor.audit.cstar_replay import cstar_subject
        from auditor.tui.screens.cstar_replay import CStarReplayScreen

        desk = self._desk
        actions = desk.setup.screens["rules"]
        screen = CStarReplayScreen(desk.session, desk.work, actions, item, cstar_subject(item), self._cstar_shelf)
        screen.wraps, screen.is_standard = desk.panes.wraps, desk.panes.is_standard
        await desk.screen.app.push_screen(screen)
