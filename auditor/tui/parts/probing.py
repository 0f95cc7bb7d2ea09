"""The action that opens the probes of an item's run; runs are kept for when the screen is opened again."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from auditor.store.changes import LINE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from textual.screen import Screen

    from auditor.audit.probe_runs import ProbeRun
    from auditor.audit.review import ReviewItem
    from auditor.store.changes import OwnProbe
    from auditor.tui.parts.review_desk import ReviewDesk

    WhenClosed = Callable[[], Awaitable[None]]

_KEPT = 3


class AskedRun(NamedTuple):
    """A run, and what can be proposed of it."""

    run: ProbeRun
    proposals: list[OwnProbe]


class AskedRuns:
    """The last runs about which was asked, by program and call."""

    def __init__(self) -> None:
        self._runs: OrderedDict[tuple[str, str], AskedRun] = OrderedDict()

    def take(self, source: str, call: str) -> AskedRun | None:
        """Return a run of exactly this, if it is kept."""
        return self._runs.get((source, call))

    def put(self, asked: AskedRun) -> None:
        """Keep a run, and forget the oldest."""
        case = asked.run.case
        self._runs[case.task.source, case.call] = asked
        if len(self._runs) > _KEPT:
            self._runs.popitem(last=False)


def may_have_probes(item: ReviewItem) -> bool:
    """Say whether an item is about the run of an implementation with a test."""
    return item.task.problem is not None and item.task.test is not None and item.task.language == "python"


class Probing:
    """Opens the screen over a review, or over a replay at its line and variable."""

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk = desk
        self._shelf = AskedRuns()

    async def action_show_probes(self) -> None:
        """Open the screen over the item of the review, at the line of its source that is looked at."""
        desk, item = self._desk, self._desk.item
        assert item is not None
        place, number = desk.panes.place

        async def go_on() -> None:
            # What was undone there may be of this item.
            shown = desk.item
            if shown is not None:
                desk.show(await desk.work.call(desk.session.item_by_id, shown.response_id))

        await self.open(desk.screen, item, number if place == LINE else 0, None, go_on, wraps=desk.panes.wraps)

    async def open(
        self,
        screen: Screen[Any],
        item: ReviewItem,
        line: int,
        variable: str | None,
        when_closed: WhenClosed | None = None,
        *,
        wraps: bool = True,
    ) -> None:
        """Open the screen; raises InputError where nothing can be asked about the item.

        The rows begin at the line and the variable, where something is asked about them; 0 = at the first.
        """
        # What runs and builds programs is never imported when items are only painted.
        from auditor.audit.probe_runs import case_to_ask
        from auditor.tui.screens.probes import ProbesScreen

        desk, case = self._desk, case_to_ask(item.task)
        given = (desk.session, desk.work, desk.setup.screens["probes"], item, case, self._shelf, when_closed)
        probes = ProbesScreen(*given, line=line, variable=variable, unsafe=desk.setup.unsafe)
        probes.wraps = wraps
        await screen.app.push_screen(probes)
