"""The base of the screens of figures: counted beside the keys, gone through with them, each opens what it counts."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Generic

from textual import events
from textual.app import ComposeResult

from auditor.audit.flags.flag import FlagItems
from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.review import ReviewSession
from auditor.errors import InputError
from auditor.tui.actions import Situation
from auditor.tui.overview_lines import Behind, Closed, Figure, Filtered, OtherScreen, Section, laid_out
from auditor.tui.parts.counting import Counted, Counting, CountingFailed, Found, Report
from auditor.tui.parts.overviewing import FiguresShelf, OnClose, stamp_of
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.setup import Setup
from auditor.tui.turns import do_in_turn
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.overview_list import OverviewList
from auditor.tui.widgets.pane import Divider, PaneTitle
from auditor.tui.widgets.words_view import WordsView
from auditor.tui.work import Work

TWO_COLUMNS = 150
"""Cells from which on there are two lists side by side."""
_PATIENCE = 0.1
"""Seconds that the first item of a figure is waited for."""


class FiguresScreen(ActingScreen, Generic[Found]):
    """One list of sections, or two side by side where there is room."""

    DEFAULT_CSS = """
    FiguresScreen { layout: vertical; background: $background; }
    FiguresScreen #overview { layout: horizontal; height: 1fr; }
    FiguresScreen OverviewList { width: 1fr; }
    FiguresScreen #overview-words { height: 2; }
    """

    title_shown: ClassVar[str]
    opening: ClassVar[str]
    """Id of the action that opens the chosen figure."""
    closing: ClassVar[str]
    """Id of the action that goes back."""

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        setup: Setup,
        name: str,
        on_close: OnClose,
        shelf: FiguresShelf[Found],
        nothing: Found,
    ) -> None:
        """`name` is that of the screen's actions; `nothing` is what is there before anything is counted."""
        self._message = MessageRule()
        super().__init__(session, work, setup.screens[name], self._message)
        self.setup = setup
        self._on_close = on_close
        self._shelf = shelf
        self._counting: Counting[Found] = Counting(self, session.path, self.count)
        self._found = shelf.found or nothing
        self._is_counting = self._again = self.stopped = False
        self._problem = ""
        self._origin: ReviewQueue | None = None
        """The queue of before, while the items behind a figure are shown."""
        self._title = PaneTitle(self.title_shown)
        self.lists = (OverviewList("overview-first"), OverviewList("overview-second"))
        self._divider = Divider()
        self._at = 0
        """Which list the keys act on."""
        self._words = WordsView(id="overview-words")

    # --- what a screen of figures says -----------------------------------------------------------------------------

    @abstractmethod
    def count(self, connection: sqlite3.Connection, report: Report[Found]) -> Found:
        """Count everything, in a thread; each piece is reported."""

    @abstractmethod
    def sections(self, width: int) -> tuple[Sequence[Section], Sequence[Section]]:
        """Return what is counted so far in lines of a width, for the two lists."""

    @abstractmethod
    def items_of(self, opens: Behind) -> list[int]:
        """Return the row ids of the items of a figure, where no filter says them."""

    async def open_screen(self, name: str) -> None:
        """Open the screen that is about a figure, by the action that shows it."""
        await self.action_perform(f"{name}.show")

    def compose(self) -> ComposeResult:
        yield self._title
        with Box(id="overview"):
            yield self.lists[0]
            yield self._divider
            yield self.lists[1]
        yield self._words
        yield self._message
        yield self.footer

    def on_mount(self) -> None:
        self._title.show_focus(True)
        self._follow_file()
        self.show()

    def on_screen_resume(self) -> None:
        self._follow_file()
        self.show()

    def on_unmount(self) -> None:
        self._counting.stop()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show)

    # --- counting --------------------------------------------------------------------------------------------------

    def _follow_file(self) -> None:
        """Count anew what was counted of another state of the file, or not to its end."""
        shelf = self._shelf
        is_whole = shelf.found is not None and shelf.found.complete
        if self._is_counting:
            # Marks made meanwhile are counted when this is at its end.
            self._again = True
            return
        if is_whole and shelf.stamp == stamp_of(self.session.path):
            return
        self.stopped, self._problem = False, ""
        self._is_counting, self._again = True, False
        self._counting.begin()

    def on_counted(self, message: Counted) -> None:
        """Show what is counted; where a piece is not there yet, what it was before."""
        message.stop()
        found, before = message.found, self._found
        self._found = found if found.complete else found.over(before)
        self._shelf.found = self._found
        if found.complete:
            self._is_counting = False
            self._shelf.stamp = message.stamp
            if self._again:
                self._follow_file()
        if self._found.shows_what(before):
            self._show_progress()
        else:
            self.show()

    def on_counting_failed(self, message: CountingFailed) -> None:
        message.stop()
        self._is_counting, self.stopped, self._problem = False, True, message.words
        self.show()

    # --- showing ---------------------------------------------------------------------------------------------------

    @property
    def found(self) -> Found:
        """Return what is counted so far."""
        return self._found

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= TWO_COLUMNS

    @property
    def view(self) -> OverviewList:
        """Return the list that the keys act on."""
        return self.lists[self._at]

    def show(self) -> None:
        """Lay out what is known in as many columns as there is room for."""
        if not self.is_mounted or not self.size.width:
            return
        wide, chosen = self._is_wide, self._shelf.key
        self.lists[1].display = self._divider.display = wide
        width = (self.size.width - 1) // 2 - 1 if wide else self.size.width - 1
        first, second = self.sections(width)
        if wide:
            self.lists[0].show_lines_of(laid_out(first, width))
            self.lists[1].show_lines_of(laid_out(second, width))
            in_second = any(span.figure and span.figure.key == chosen for line in self.lists[1].shown for span in line)
            self._at = int(in_second) if chosen else self._at
        else:
            self.lists[0].show_lines_of(laid_out([*first, *second], width))
            self._at = 0
        if chosen:
            self.view.choose(chosen)
        for number, one in enumerate(self.lists):
            one.show_cursor(number == self._at)
        self._tell()

    def _tell(self) -> None:
        """Say what the chosen figure counts."""
        figure = self.view.figure
        if figure is not None:
            self._shelf.key = figure.key
        words = self._problem or ("" if figure is None else figure.words)
        self._words.show_words([words])
        self._show_progress()
        self.show_situation()

    def _show_progress(self) -> None:
        """Say in the title how far the counting is."""
        counting = "counting again …" if self._found.complete else "counting …"
        doing = self._found.doing
        counting += f" {doing}" if doing and not self._found.complete else ""
        detail = counting if self._is_counting else ""
        detail = "stopped: what is here may be of before" if self.stopped else detail
        self._title.show(detail=detail)

    @property
    def situation(self) -> Situation:
        return Situation(items=0 if self.view.figure is None else 1, blind=self.session.blind, again=self.session.again)

    # --- keys and clicks -------------------------------------------------------------------------------------------

    def action_step_figure(self, how: str) -> None:
        """Go to another figure; beyond the side of a list to the one beside it."""
        moved = self.view.step(how)
        if not moved and self._is_wide and how in ("left", "right"):
            self._go_to_list(1 if how == "right" else 0)
        self._tell()

    def action_step_section(self, which: str) -> None:
        """Go to another section; behind the last one of a list to the list beside it."""
        if not self.view.step_section(which):
            if self._is_wide:
                self._go_to_list(1 - self._at)
            self.view.step("start" if which == "next" else "end")
        self._tell()

    def _go_to_list(self, number: int) -> None:
        if any(span.figure for line in self.lists[number].shown for span in line):
            self._at = number
        for place, one in enumerate(self.lists):
            one.show_cursor(place == self._at)

    def on_overview_list_picked(self, message: OverviewList.Picked) -> None:
        """Choose a figure that was clicked; the chosen one is opened."""
        message.stop()
        again = self.view is message.view and self.view.figure == message.figure
        self._go_to_list(self.lists.index(message.view))
        self.view.pick(message.figure)
        self._tell()
        if again:
            do_in_turn(self, f"perform({self.opening!r})")

    def action_interrupt(self) -> None:
        """Stop counting, or say how to leave."""
        if self._is_counting:
            self._counting.stop()
            self._is_counting, self.stopped = False, True
            self.show()
            self.say("The counting was stopped; opening this screen again counts the rest.")
        else:
            self.say(f"{self.keys[self.closing]} goes back.")

    # --- what is behind a figure -----------------------------------------------------------------------------------

    async def action_open_figure(self) -> None:
        """Show the items of the chosen figure in the queue, or the screen that is about it."""
        figure = self.view.figure
        if figure is None:
            return
        opens = figure.opens
        if isinstance(opens, Closed):
            self.say(opens.why)
        elif isinstance(opens, OtherScreen):
            await self.open_screen(opens.name)
        else:
            await self._open_items(figure, opens)

    async def _open_items(self, figure: Figure, opens: Filtered | Behind) -> None:
        from auditor.tui.screens.queue import QueueScreen

        if isinstance(opens, Filtered):
            queue = await self.work.call(self.session.find_items, opens.where)
            await self.work.call(queue.wait_for_rows, 1, _PATIENCE)
        else:
            if self.session.again:
                raise InputError(
                    "a second pass goes through the items that were drawn for it.", hint="Leave it to review others."
                )
            ids = await self.work.call(self.items_of, opens)
            queue = ReviewQueue(ids, figure.text if isinstance(opens, FlagItems) else figure.words.rstrip("."))
        if not len(queue) and queue.complete:
            problem = queue.progress.ended_early
            self.say(problem or "No item is behind this figure.", refused=problem is not None)
            return
        self._origin = self.session.use_queue(queue)
        await self.app.push_screen(QueueScreen(self.session, self.work, self.setup, 0, self.leave_queue))

    async def leave_queue(self, index: int | None, said: str) -> None:
        """Go on with the review at one of the items, or show the figures again; nothing is said of the queue then."""
        origin, self._origin = self._origin, None
        if index is not None:
            if origin is not None:
                origin.cancel()
            await self.close_figures(index)
        elif origin is not None:
            self.session.use_queue(origin).cancel()
            self.show()

    async def leave_other(self, index: int | None) -> None:
        """Go on with the review where another screen says."""
        if index is not None:
            await self.close_figures(index)

    # --- leaving ---------------------------------------------------------------------------------------------------

    async def close_figures(self, index: int | None) -> None:
        """Take the screen away, and say where the review goes on."""
        # Both are done before the next key, which is that of the screen below.
        await self.app.pop_screen()
        await self._on_close(index)
