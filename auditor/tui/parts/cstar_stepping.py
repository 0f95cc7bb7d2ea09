"""Actions that go from step to step of a C* program's run; the field for a step is that of the other replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from auditor.audit import cstar_replay as moves
from auditor.text import visible_line
from auditor.tui.parts.step_field import StepField

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from textual.screen import Screen
    from textual.widget import Widget

    from auditor.audit.cstar_replay import CStarReplay
    from auditor.tui.widgets.variable_rows import VariableRows


class CStarDesk(Protocol):
    """A screen with one recorded run on it."""

    keys: Mapping[str, str]
    replay: CStarReplay | None
    at: int
    """The step that is shown."""
    variables: VariableRows

    @property
    def screen(self) -> Screen[Any]:
        """Return the screen, for the field and the focus."""

    def say(self, message: str, *, refused: bool = False) -> None:
        """Show a sentence until the next key."""

    def show_step(self, at: int) -> None:
        """Show another step."""

    def show_situation(self) -> None:
        """Show what can be done now."""


class CStarStepping(StepField):
    """Goes to other steps of the run on the screen."""

    places = "A step, +500, -500, first, last or violation."

    def __init__(self, desk: CStarDesk, below: Widget) -> None:
        """The field for a step is shown above the widget `below`."""
        super().__init__(desk, below)
        self._run_desk = desk

    @property
    def _replay(self) -> CStarReplay:
        replay = self._run_desk.replay
        assert replay is not None  # nothing can be done before a run is there
        return replay

    def find(self, text: str) -> int:
        return moves.find_step(self._replay, text, self._run_desk.at)

    def _go(self, step: int | None, otherwise: str) -> None:
        if step is None:
            self._run_desk.say(otherwise, refused=True)
        else:
            self._run_desk.show_step(step)

    def action_step(self, by: str) -> None:
        step = moves.neighbour(self._replay, self._run_desk.at, int(by))
        self._go(step, "This is the last step." if int(by) > 0 else "Nothing has happened before.")

    def action_step_statement(self, which: str) -> None:
        back = which == "previous"
        step = moves.next_statement(self._replay, self._run_desk.at, backwards=back)
        self._go(step, "No statement begins before this step." if back else "This is the last statement.")

    def action_step_iteration(self, which: str) -> None:
        replay, at, back = self._replay, self._run_desk.at, which == "previous"
        loop = moves.loop_at(replay, at)
        assert loop is not None  # else the key says so
        step = moves.next_turn(replay, at, backwards=back)
        line = replay.recording.loops[loop].line
        what = "before this step" if back else "behind this step"
        self._go(step, f"No iteration of the loop in line {line:,} begins {what}.")

    def action_go_to_place(self, which: str) -> None:
        places = {"first": 0, "last": self._replay.last, "violation": self._replay.recording.violation}
        self._go(places[which], "No step of this run violates a rule.")

    def action_choose_variable(self, by: str) -> None:
        self._run_desk.variables.go_to(self._run_desk.variables.index + int(by))

    def action_go_to_change(self, which: str) -> None:
        row, back = self._run_desk.variables.chosen, which == "previous"
        if row is None:
            self._run_desk.say("There is no variable here.", refused=True)
            return
        step = moves.next_change(self._replay, row.name, self._run_desk.at, backwards=back)
        name = visible_line(row.name, 60)
        self._go(step, f"{name} does not change {'before' if back else 'behind'} this step.")
