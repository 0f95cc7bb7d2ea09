"""Actions that go to another item of an adjudication."""

from __future__ import annotations

from auditor.text import counted, visible_name
from auditor.tui.parts.adjudication_desk import AdjudicationDesk
from auditor.tui.review_sentences import tell_begun


class GoingToCases:
    """Goes along the items, or only to those that need a decision."""

    def __init__(self, desk: AdjudicationDesk) -> None:
        self._desk = desk

    async def begin(self, at: int | None) -> None:
        """Show an item, or the first one that needs a decision, or the first of all."""
        index = None if at is None else self._desk.adjudication.queue.index_of(at)
        if index is not None:
            await self._go(index)
            return
        first = self._desk.adjudication.next_needing(-1)
        await self._go(first or 0)
        if first is None:
            self._desk.say("Everything is decided here; what you change now is kept as well.")

    async def action_go_to_open(self, which: str) -> None:
        desk, adjudication = self._desk, self._desk.adjudication
        if which == "previous":
            index = adjudication.previous_needing(desk.index)
        else:
            index = adjudication.next_needing(-1 if which == "first" else desk.index)
        if index is None:
            desk.say(f"Nothing is open any more; {desk.keys['program.quit']} leaves.")
        elif desk.case is not None and adjudication.queue[index] == desk.case.response_id:
            desk.say("No other item needs a decision." if which != "first" else "This is the first open item.")
        else:
            left = self._tell_left(back="case.next_open" if which == "previous" else "case.previous_open")
            turned = (which == "next" and index < desk.index) or (which == "previous" and index > desk.index)
            await self._go(index)
            told = f"Back at the {'start' if which == 'next' else 'end'}: items there still need a decision."
            self._say(left, told if turned else "")

    def _tell_left(self, back: str) -> str:
        """Say how many tags of the item that is left are undecided; empty when none is."""
        case, key = self._desk.case, self._desk.keys[back]
        if case is None or not case.needing:
            return ""
        how = f"; {key} goes back to it" if key else ""
        return f"{counted(len(case.needing), 'tag')} of {visible_name(self._name, 40)} left undecided{how}."

    @property
    def _name(self) -> str:
        item = self._desk.item
        return item.key.case if item is not None else ""

    async def action_step_item(self, by: str) -> None:
        index = self._desk.index + int(by)
        if 0 <= index < len(self._desk.adjudication.queue):
            await self._go(index)
        else:
            self._desk.say("This is the last item." if int(by) > 0 else "This is the first item.")

    async def _go(self, index: int) -> None:
        await self._desk.go_to(self._desk.adjudication.queue[index])
        self._say()

    def _say(self, *words: str) -> None:
        """Say what to know of the item that is shown now, behind what is to be said anyway."""
        desk = self._desk
        if told := " ".join(filter(None, (*words, tell_begun(desk.session, desk.case, desk.keys)))):
            desk.say(told)
