"""What replays of all languages share: a recorded run, its steps and variables, and what is known of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from textual.timer import Timer

from auditor.audit.review import ReviewItem, ReviewSession
from auditor.tui.actions import Action
from auditor.tui.parts.reading import tell_wrap
from auditor.tui.parts.replaying import Run, Shelf
from auditor.tui.parts.step_field import StepField
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.pane import Pane
from auditor.tui.widgets.step_slider import StepSlider
from auditor.tui.widgets.text_view import TextView
from auditor.tui.widgets.variable_rows import VariableRows
from auditor.tui.work import Work

_TICK_SECONDS = 0.5

_Subject = TypeVar("_Subject", bound=Hashable)
_Run = TypeVar("_Run", bound=Run)


class RecordingWork(Protocol):
    """Records one run at a time."""

    @property
    def subject(self) -> object | None:
        """What runs now; None = nothing."""

    @property
    def words(self) -> str:
        """Say how long the program has been running and how far it is."""

    def stop(self) -> None:
        """Stop the program that runs; nothing more is told of it."""


class RunScreen(ActingScreen, Generic[_Subject, _Run]):
    """One recorded run of an item's program; nothing is marked here. A language adds its panes and its steps."""

    _recording: RecordingWork
    _stepping: StepField
    _views: Sequence[LineView]
    """The panes that the page keys scroll, in turn."""
    _wrapped: Sequence[LineView]
    """The panes with lines that can be wrapped."""

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        item: ReviewItem,
        subject: _Subject,
        shelf: Shelf[_Run],
    ) -> None:
        """`subject` is what is run of the item; recorded runs are taken from the shelf and kept there."""
        self._message = MessageRule()
        super().__init__(session, work, actions, self._message)
        self.item = item
        self.subject = subject
        self.replay: _Run | None = None
        self.at = 0
        self.wraps = True
        """Whether long lines are wrapped; as in the review when the screen is opened."""
        self.variables, self._notes = VariableRows(), TextView()
        self._variable_pane = Pane("Variables", self.variables, id="replay-variables")
        self._notes_pane = Pane("About this run", self._notes, id="replay-notes")
        self._slider = StepSlider()
        self._shelf = shelf
        self._ticking: Timer | None = None
        self._problem = ""
        self._lacks: Mapping[str, str] = {}

    def on_mount(self) -> None:
        self.set_focus(self.variables)
        self._wrap_lines()
        self._ticking = self.set_interval(_TICK_SECONDS, self._tick, pause=True)
        self._begin(self.item, self.subject)

    def on_unmount(self) -> None:
        self._recording.stop()
        self._keep()

    # --- recording -------------------------------------------------------------------------------------------------

    def _begin(self, item: ReviewItem, subject: _Subject) -> None:
        """Show an item's run: one that was recorded before, or else a new one once it is there."""

    def _keep(self) -> None:
        if self.replay is not None:
            self._shelf.put(self.replay, self.at)

    def _tick(self) -> None:
        if self._recording.subject is not None:
            self._slider.show_words(f"{self._recording.words} {self.keys['replay.close']} stops it and goes back.")
        elif self._ticking is not None:
            self._ticking.pause()

    def _fail(self, words: str) -> None:
        self._problem = words
        self._slider.show_words("There is no recorded run.")
        self.say(words, refused=True)

    # --- showing ---------------------------------------------------------------------------------------------------

    def show_step(self, at: int) -> None:
        """Show another step; everything changes in one paint."""

    def _note_lines(self) -> Sequence[str]:
        """Return what has to be known of the run, of the step and of the chosen value."""
        return []

    # --- keys and clicks -------------------------------------------------------------------------------------------

    @property
    def is_writing(self) -> bool:
        return self._stepping.is_open

    def on_step_slider_picked(self, message: StepSlider.Picked) -> None:
        message.stop()
        if self.replay is not None and not self.is_writing:
            self.show_step(message.step)

    def on_row_view_chosen(self, message: VariableRows.Chosen) -> None:
        message.stop()
        if not self.is_writing:
            self.variables.go_to(message.index)

    def _next_arm(self) -> ReviewItem | None:
        related = self.session.related()
        try:
            case = related.case_arms(self.item.response_id)
        finally:
            related.close()
        others = [*case.arms[case.at + 1 :], *case.arms[: case.at]]
        response_id = next((arm.response_id for arm in others if arm.response_id is not None), None)
        return None if response_id is None else self.session.item_by_id(response_id)

    def action_show_notes(self) -> None:
        """Show what has to be known of the run, of the step and of the chosen value, or take that away."""
        pane = self._notes_pane
        pane.display = not pane.display
        if pane.display:
            self._notes.show_text("\n".join(self._note_lines()))
            self.set_focus(self._notes)
        else:
            self.set_focus(self.variables)

    def action_cycle_pane(self) -> None:
        """Let the page keys scroll the next pane."""
        views, focused = [view for view in self._views if view.region.area], self.focused
        at = views.index(focused) if isinstance(focused, LineView) and focused in views else -1
        self.set_focus(views[(at + 1) % len(views)])

    def action_scroll_pane(self, how: str) -> None:
        """Scroll the pane that has the focus."""
        if isinstance(self.focused, LineView):
            self.focused.scroll_by(how)

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or show each as one row."""
        self.wraps = not self.wraps
        self._wrap_lines()
        self.say(tell_wrap(self.keys, wraps=self.wraps))

    def _wrap_lines(self) -> None:
        for view in self._wrapped:
            view.wrap_lines(self.wraps)

    async def action_close_replay(self) -> None:
        """Take away the page that lies over the run, else the screen; a program that runs is stopped."""
        if self._notes_pane.display:
            self.action_show_notes()
        else:
            self._recording.stop()
            await self.app.pop_screen()

    def action_interrupt(self) -> None:
        """Stop the program that runs, or say how to leave."""
        if self._recording.subject is not None:
            self._recording.stop()
            self._fail("The program was stopped.")
        else:
            self.say(f"{self.keys['replay.close']} goes back.")
