"""The field in which a step is named, to go there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Protocol

from auditor.errors import AuditorError
from auditor.tui.widgets.note_editor import NoteEditor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from textual.screen import Screen
    from textual.widget import Widget


class StepDesk(Protocol):
    """A screen with steps to go to."""

    keys: Mapping[str, str]

    @property
    def screen(self) -> Screen[Any]:
        """Return the screen, for the field and the focus."""

    def say(self, message: str, *, refused: bool = False) -> None:
        """Show a sentence until the next key."""

    def show_step(self, at: int) -> None:
        """Show another step."""

    def show_situation(self) -> None:
        """Show what can be done now."""


class StepField(ABC):
    """Opens the field, takes what is written in it, and closes it."""

    places: str
    """What can be written, as a sentence."""

    def __init__(self, desk: StepDesk, below: Widget) -> None:
        """The field is shown above the widget `below`."""
        self._field_desk = desk
        self._below = below
        self._editor: NoteEditor | None = None
        self._focus_before: Widget | None = None

    @abstractmethod
    def find(self, text: str) -> int:
        """Return the step that a text names; raises AuditorError where it names none."""

    @property
    def is_open(self) -> bool:
        """Say whether a step is being written."""
        return self._editor is not None

    async def action_ask_step(self) -> None:
        desk, screen = self._field_desk, self._field_desk.screen
        title = f"Go to step   {desk.keys['replay.take']} goes there, {desk.keys['replay.leave']} stays"
        self._editor, self._focus_before = NoteEditor("", title), screen.focused
        self._editor.styles.height = 3
        await screen.mount(self._editor, before=self._below)
        screen.set_focus(self._editor)
        desk.say(self.places)
        desk.show_situation()

    async def action_take_step(self) -> None:
        """Go to the step that is written; where it is none, the field stays."""
        assert self._editor is not None
        await self._editor.settle()
        text = " ".join(self._editor.note.split("\n"))
        try:
            step = self.find(text)
        except AuditorError as error:
            self._field_desk.say(str(error), refused=True)
            return
        await self.action_leave_step()
        self._field_desk.show_step(step)

    async def action_leave_step(self) -> None:
        editor, self._editor = self._editor, None
        if editor is not None:
            await editor.remove()
            self._field_desk.screen.set_focus(self._focus_before)
        self._field_desk.say("")
        self._field_desk.show_situation()
