"""The app: wires themes, driver, screen and signals together, and nothing else."""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver

from auditor.tui.actions import SCREENS
from auditor.tui.actions.keymap import Screens
from auditor.tui.driver import ToughLinuxDriver
from auditor.tui.palette import ReviewCommands
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.themes import DEFAULT_THEME, load_themes, theme_variable_defaults

if TYPE_CHECKING:
    from auditor.audit.review import ReviewSession

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class ReviewApp(App[int]):
    """The review of one queue by one annotator."""

    TITLE = "auditor"
    BINDINGS: ClassVar[list[BindingType]] = []
    COMMANDS = {ReviewCommands}  # noqa: RUF012 (Textual's declaration)

    def __init__(self, session: ReviewSession, screens: Screens = SCREENS) -> None:
        super().__init__()
        self._session = session
        self._screens = screens
        self._typed: deque[events.Key | events.Paste] = deque()
        self._typing: asyncio.Task[None] | None = None
        loaded = load_themes()
        for theme in loaded.themes:
            self.register_theme(theme)
        self._problems = loaded.problems
        if DEFAULT_THEME in self.available_themes:
            self.theme = DEFAULT_THEME

    def get_driver_class(self) -> type[Driver]:
        driver = super().get_driver_class()
        return ToughLinuxDriver if driver is LinuxDriver else driver

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _ENDING_SIGNALS:
            loop.add_signal_handler(number, self.exit, 0)
        for problem in self._problems:
            self.notify(problem, severity="warning", markup=False)

    def _handle_exception(self, error: Exception) -> None:
        """End the app without a word; `failure` is for the caller to tell.

        Textual would print a traceback with the values of all variables, texts from data among them, and end with 0.
        """
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    @property
    def failure(self) -> Exception | None:
        """Return the error that ended the app."""
        return self._exception

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme_variable_defaults(self.current_theme.dark)

    async def on_event(self, event: events.Event) -> None:
        """Take what is typed out of the app's message queue: it waits for its turn, the app does not."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._typed.append(event)
            if not self.is_busy:
                self._typing = asyncio.create_task(self._handle_typed())
        else:
            await super().on_event(event)

    async def _handle_typed(self) -> None:
        """Finish with each key before the next: each acts on the item that is on the screen by then."""
        while self._typed:
            try:
                await super().on_event(self._typed.popleft())
            except Exception as error:
                self._handle_exception(error)

    @property
    def is_busy(self) -> bool:
        """Say whether something that was typed is still being done."""
        return self._typing is not None and not self._typing.done()

    async def action_quit(self) -> None:
        """Leave, unless a note is being written: that would lose it."""
        screen = self.screen
        if not isinstance(screen, ReviewScreen):
            self.exit(0)
        elif screen.check_action("perform", ("program.quit",)):
            await screen.action_perform("program.quit")

    def get_default_screen(self) -> ReviewScreen:
        return ReviewScreen(self._session, self._screens)
