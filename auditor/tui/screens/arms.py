"""The arms of a case side by side, as many as there is room for, and cycled through where it is not for all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult

from auditor.audit.related_items import CaseArms, RelatedItems
from auditor.audit.review import ReviewSession
from auditor.text import counted
from auditor.tui.actions import Action
from auditor.tui.screens.related import OnClose, RelatedScreen
from auditor.tui.widgets.answer_panel import AnswerPanel
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.pane import Divider
from auditor.tui.work import Work

_MOST = 4
_TWO_COLUMNS = 100
_TWO_ROWS = 44


class ArmsScreen(RelatedScreen):
    """One panel an arm; the keys act on one of them."""

    closing = "arms.close"
    DEFAULT_CSS = """
    ArmsScreen .arms { layout: horizontal; width: 1fr; height: 1fr; }
    """

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        related: RelatedItems,
        case: CaseArms,
        on_close: OnClose,
    ) -> None:
        super().__init__(session, work, actions, related, on_close)
        self._case = case
        self._at = case.at
        self._panels = [AnswerPanel() for _ in range(_MOST)]
        self._rows = [Box(classes="arms") for _ in range(2)]
        self._dividers = [Divider() for _ in range(2)]
        self._shown = range(0)
        """The places of the arms that have a panel."""
        self._showing = asyncio.Lock()
        """Is held while panels are filled: a key and another size of the terminal may both want that."""

    def compose(self) -> ComposeResult:
        yield self._title
        with Box(id="related"):
            for number, row in enumerate(self._rows):
                with row:
                    yield self._panels[2 * number]
                    yield self._dividers[number]
                    yield self._panels[2 * number + 1]
            yield self._over
        yield self._message
        yield self.footer

    async def on_mount(self) -> None:
        await self._show_arms()
        if len(self._case.arms) == 1:
            self._tell_only_arm()

    async def on_resize(self, event: events.Resize) -> None:
        await self._show_arms()

    @property
    def panel(self) -> AnswerPanel:
        return self._panels[self._at - self._shown.start]

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _room(self) -> int:
        """Return how many panels there is room for."""
        columns = 2 if self.size.width >= _TWO_COLUMNS else 1
        rows = 2 if self.size.height >= _TWO_ROWS and columns == 2 else 1
        return columns * rows

    async def _show_arms(self) -> None:
        """Show the page of arms that the chosen one is on; each is read when it is not shown yet."""
        async with self._showing:
            room = self._room()
            first = self._at - self._at % room
            shown = range(first, min(first + room, len(self._case.arms)))
            if shown != self._shown:
                self._shown = shown
                self._lay_out(len(shown), room)
                for panel, place in zip(self._panels, shown, strict=False):
                    await self._show_arm(panel, place)
            self._show_chosen()

    def _lay_out(self, count: int, room: int) -> None:
        """Show so many panels; an arm that is the only one on the last page has the place of the others too."""
        for number, panel in enumerate(self._panels):
            panel.display = number < count
        for number, row in enumerate(self._rows):
            row.display = 2 * number < count
            self._dividers[number].display = 2 * number + 1 < count

    async def _show_arm(self, panel: AnswerPanel, place: int) -> None:
        arm = self._case.arms[place]
        if arm.response_id is None:
            panel.show_absent(arm.arm, await self.work.call(self.related.task_of_arm, arm))
            return
        item = await self.work.call(self.session.item_by_id, arm.response_id)
        panel.show_item(arm.arm, item, "this item" if place == self._case.at else "")

    def _show_chosen(self) -> None:
        for panel, place in zip(self._panels, self._shown, strict=False):
            panel.show_chosen(place == self._at)
        self.set_focus(self.panel.comparison)
        key, total = self._case.key, len(self._case.arms)
        hidden = f" · {counted(self._case.hidden, 'arm')} not revealed yet" if self._case.hidden else ""
        shown = self._shown
        places = f"arm {shown.start + 1}" if len(shown) == 1 else f"arms {shown.start + 1}-{shown.stop}"
        self._title.show(
            name=f"Arms of {key.case}",
            detail=f"{key.setting} · sample {key.sample}{hidden}",
            extent=f"{places} of {total}" if total > 1 else "its only arm",
        )
        self.show_situation()

    # --- keys ------------------------------------------------------------------------------------------------------

    async def action_step(self, which: str) -> None:
        """Choose another arm."""
        total = len(self._case.arms)
        if total == 1:
            self._tell_only_arm()
            return
        self._over.hide()
        self._at = (self._at + (1 if which == "next" else -1)) % total
        await self._show_arms()

    def _tell_only_arm(self) -> None:
        if self._case.hidden:
            others = counted(self._case.hidden, "other arm")
            self.say(f"This is the only arm that can be shown: the {others} not revealed yet.")
        else:
            self.say("This case has only one arm: there is nothing to compare it with.")
