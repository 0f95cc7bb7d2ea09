"""The actions of the review screen that only look: panes, differences, help and palette. None of them marks."""

from __future__ import annotations

from collections.abc import Sequence

from textual.screen import Screen

from auditor.audit.review import ReviewSession
from auditor.tui.actions import Action
from auditor.tui.widgets.item_panes import ItemPanes
from auditor.tui.widgets.line_view import LineView


class LookingScreen(Screen[int]):
    """A screen with the panes of one item; the screen that builds on it sets the attributes and composes the panes."""

    actions: Sequence[Action]
    """What can be done here, with the keys that act."""
    _session: ReviewSession
    _panes: ItemPanes
    _help_at: int | None
    """The index of the tag where help opens."""

    def action_step_difference(self, which: str) -> None:
        self._panes.comparison.step(1 if which == "next" else -1)

    def action_cycle_pane(self) -> None:
        views = self._panes.views()
        at = views.index(self.focused) if self.focused in views else -1
        if views:
            self.set_focus(views[(at + 1) % len(views)])

    def action_scroll_pane(self, how: str) -> None:
        if isinstance(self.focused, LineView):
            self.focused.scroll_by(how)

    def action_show_reply(self) -> None:
        self._panes.toggle_reply()

    def action_show_reasoning(self) -> None:
        self._panes.toggle_reasoning()

    def action_show_input(self) -> None:
        self._panes.toggle_input()

    def action_show_prompt(self) -> None:
        self._panes.toggle_prompt()

    async def action_show_help(self) -> None:
        from auditor.tui.help_lines import HelpCodebook
        from auditor.tui.screens.help import HelpScreen

        session = self._session
        words = (session.codebook_title, session.codebook_description)
        choices = [choice for choice in session.choices if choice.key]
        codebook = HelpCodebook(session.codebook_name, session.codebook_revision, *words, choices)
        await self.app.push_screen(HelpScreen(codebook, self.actions, self._help_at))

    async def action_show_palette(self) -> None:
        from textual.command import CommandPalette

        await self.app.push_screen(CommandPalette(id="--command-palette", placeholder="Search: action, tag or theme"))
