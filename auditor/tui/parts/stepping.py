"""Actions that go from step to step of a replay; those that may search many steps do so beside the event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from auditor.audit import replay_moves as moves
from auditor.text import visible_line
from auditor.tui.parts.step_field import StepField

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from textual.screen import Screen
    from textual.widget import Widget

    from auditor.audit.replay import Replay
    from auditor.tui.widgets.variable_rows import VariableRows


class ReplayDesk(Protocol):
    """A screen with one recorded run on it."""

    keys: Mapping[str, str]
    replay: Replay | None
    at: int
    """The step that is shown."""
    variables: VariableRows

    @property
    def screen(self) -> Screen[Any]:
        """Return the screen, for the field and the focus."""

    def say(self, message: str, *, refused: bool = False) -> None:
        """Show a sentence until the next key."""

    def show_step(self, at: int) -> None:
        """Show another kept step."""

    def show_situation(self) -> None:
        """Show what can be done now."""


class Stepping(StepField):
    """Goes to other steps of the run on the screen."""

    places = "A step, +500, -500, first, last, checkpoint, probe, contradiction or true."

    def __init__(self, desk: ReplayDesk, below: Widget) -> None:
        """The field for a step is shown above the widget `below`."""
        super().__init__(desk, below)
        self._desk = desk

    def find(self, text: str) -> int:
        return moves.find_step(self._replay, text, self._desk.at)

    @property
    def _replay(self) -> Replay:
        replay = self._desk.replay
        assert replay is not None  # nothing can be done before a run is there
        return replay

    def _go(self, step: int | None, otherwise: str) -> None:
        if step is None:
            self._desk.say(otherwise, refused=True)
        else:
            self._desk.show_step(step)

    def action_step(self, by: str) -> None:
        at, cut = self._desk.at, self._replay.trace.cut
        step = moves.neighbour(self._replay.marks, at, int(by))
        last = "This is the last step." if cut is None else "This is the last step that is kept."
        self._go(step, last if int(by) > 0 else "This is the first step.")
        if step is not None and abs(step - at) > 1:
            self._desk.say(f"Steps {min(at, step) + 1:,}-{max(at, step) - 1:,} are not kept.")

    def action_step_iteration(self, which: str) -> None:
        replay, back = self._replay, which == "previous"
        loop = moves.loop_at(replay, self._desk.at)
        assert loop is not None  # else the key says so
        found = moves.next_iteration(replay, self._desk.at, backwards=back)
        what = "before this step" if back else "behind this step"
        self._go(found, f"No iteration of the loop in line {loop:,} begins {what}.")

    async def action_step_visit(self, which: str) -> None:
        replay, at, back = self._replay, self._desk.at, which == "previous"
        found = await asyncio.to_thread(moves.next_visit, replay, at, backwards=back)
        line = moves.visited_line(replay, at)
        self._go(found, f"Line {line:,} is not visited {'before' if back else 'behind'} this step.")

    def action_go_to_mark(self, which: str) -> None:
        replay = self._replay
        marks = {"checkpoint": replay.checkpoint, "contradiction": replay.contradiction, "true": replay.last_true}
        if (step := marks[which]) is not None:
            self._desk.show_step(step)

    async def action_go_to_output(self, which: str) -> None:
        back = which == "previous"
        found = await asyncio.to_thread(moves.next_output, self._replay, self._desk.at, backwards=back)
        what = "No other output had been written before" if back else "No more output is written behind"
        self._go(found, f"{what} this step.")

    def action_choose_variable(self, by: str) -> None:
        self._desk.variables.go_to(self._desk.variables.index + int(by))

    async def action_go_to_change(self, which: str) -> None:
        row, back = self._desk.variables.chosen, which == "previous"
        if row is None:
            self._desk.say("There is no variable here.", refused=True)
            return
        found = await asyncio.to_thread(moves.next_change, self._replay, row.name, self._desk.at, backwards=back)
        name = visible_line(row.name, 60)
        self._go(found, f"{name} does not change {'before' if back else 'behind'} this step.")
