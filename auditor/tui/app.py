"""The app: wires themes, driver, screen and signals together, and nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import Monochrome, NoColor

from auditor.tui.colors import SIXTEEN_COLORS_THEME, NoColors
from auditor.tui.driver import ToughLinuxDriver
from auditor.tui.palette import ReviewCommands
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.setup import Setup, quitting_keys
from auditor.tui.terminal import animation_level
from auditor.tui.themes import DEFAULT_THEME, load_themes, theme_variable_defaults, unknown_theme
from auditor.tui.turns import InTurn

if TYPE_CHECKING:
    from auditor.audit.review import ReviewSession

FirstScreen = Callable[["ReviewSession", Setup], ActingScreen]
"""Makes the screen that the app begins with."""
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_PROBLEM_SECONDS = 15
"""For so long the first mistake in a configuration is shown, with how many more there are."""


class ReviewApp(App[int], inherit_bindings=False):
    """The review of one queue by one annotator, or what else one person does with an audit file."""

    TITLE = "auditor"
    ENABLE_COMMAND_PALETTE = False
    """Textual's own key for it would go before a key map; the screens open it."""
    CSS = """
    ToastRack { margin-bottom: 6; }
    """
    """What is told at the start lies above the tags and the keys, over the last rows of the panes."""
    COMMANDS = {ReviewCommands}  # noqa: RUF012 (Textual's declaration)

    def __init__(
        self, session: ReviewSession, setup: Setup | None = None, first_screen: FirstScreen = ReviewScreen
    ) -> None:
        super().__init__()
        self._first_screen = first_screen
        self._session = session
        self._setup = setup = setup or Setup()
        for key in quitting_keys(setup.screens):
            self._bindings.bind(key, "quit", show=False, priority=True)
        self._typed: deque[events.Key | events.Paste | InTurn] = deque()
        self._typing: asyncio.Task[None] | None = None
        self.animation_level = animation_level(setup, os.environ) or self.animation_level
        self.when_ready: Callable[[], None] = lambda: None
        """Is called when the first screen is painted."""
        self.no_color = bool(os.environ.get("NO_COLOR"))
        # Textual's own filter makes greys of colours, and grey is a colour too.
        self._filters = [one for one in self._filters if not isinstance(one, Monochrome | NoColor)]
        if self.no_color:
            self._filters.append(NoColors())
        loaded = load_themes(setup.themes_folder)
        for theme in loaded.themes:
            self.register_theme(theme)
        self._problems = [*setup.problems, *loaded.problems]
        self._choose_theme(setup.settings.theme)

    def _choose_theme(self, name: str) -> None:
        """Use a theme, or the default where it is not there."""
        if name not in self.available_themes:
            self._problems.append(unknown_theme(name, self.available_themes))
            name = DEFAULT_THEME
        if name in self.available_themes:
            self.theme = name

    def adapt_to_terminal(self) -> None:
        """Use colours that the terminal has, unless the command line names a theme."""
        if self.console.color_system == "standard" and "--theme" not in self._setup.sources.values():
            self._choose_theme(SIXTEEN_COLORS_THEME)

    def get_driver_class(self) -> type[Driver]:
        driver = super().get_driver_class()
        return ToughLinuxDriver if driver is LinuxDriver else driver

    def on_ready(self) -> None:
        self.when_ready()

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _ENDING_SIGNALS:
            loop.add_signal_handler(number, self.exit, 0)
        if self._problems:
            more = f"\n{len(self._problems) - 1} more: auditor config check" if len(self._problems) > 1 else ""
            self.notify(f"{self._problems[0]}{more}", severity="warning", markup=False, timeout=_PROBLEM_SECONDS)

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
            self._take(event)
        else:
            await super().on_event(event)

    def on_in_turn(self, message: InTurn) -> None:
        """Take what a click asks for into the same row."""
        message.stop()
        self._take(message)

    def _take(self, typed: events.Key | events.Paste | InTurn) -> None:
        self._session.make_way()
        self._typed.append(typed)
        if not self.is_busy:
            self._typing = asyncio.create_task(self._handle_typed())

    async def _handle_typed(self) -> None:
        """Finish with each key before the next: each acts on the item that is on the screen by then."""
        # What was typed after the key that leaves is nobody's, and finds no screen.
        while self._typed and not self._exit:
            typed, screen = self._typed.popleft(), self.screen
            try:
                if isinstance(typed, InTurn):
                    if typed.screen is screen:
                        await self.run_action(typed.action, screen)
                    continue
                if isinstance(typed, events.Key) and isinstance(screen, ActingScreen):
                    screen.tell_stray(typed)
                await super().on_event(typed)
            except Exception as error:
                self._handle_exception(error)
            # What it did is still to be painted.
            self._session.make_way()

    @property
    def is_busy(self) -> bool:
        """Say whether something that was typed is still being done."""
        return self._typing is not None and not self._typing.done()

    async def action_quit(self) -> None:
        """Leave, unless a note is being written: that would lose it."""
        screen = self.screen
        if not isinstance(screen, ActingScreen) or not screen.can_quit:
            self.exit(0)
        elif screen.check_action("perform", ("program.quit",)):
            await screen.action_perform("program.quit")

    def get_default_screen(self) -> ActingScreen:
        return self._first_screen(self._session, self._setup)
