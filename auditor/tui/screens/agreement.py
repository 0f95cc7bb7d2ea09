"""How far the annotators agree: who with whom, on which tags, with which tags instead; each number has its items."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic

from textual.app import ComposeResult

from auditor.audit.agreement_overview import FileWatch, Ground, PairReport, Values, confused_items, differing_items
from auditor.audit.queue_ids import ReviewQueue
from auditor.audit.review import ReviewSession
from auditor.errors import AuditorError
from auditor.store.file import shell_path
from auditor.text import counted
from auditor.tui import agreement_words as words
from auditor.tui.actions import Situation
from auditor.tui.parts.agreeing import Place
from auditor.tui.parts.measuring import (
    GroundRead,
    KeptRead,
    MatrixMeasured,
    Measuring,
    MeasuringFailed,
    PairMeasured,
)
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.setup import Setup
from auditor.tui.widgets.agreement_rows import TagRows
from auditor.tui.widgets.agreement_tables import CONFUSION, MATRIX, TAGS, AgreementTables, Numbers
from auditor.tui.widgets.message_rule import MessageRule
from auditor.tui.widgets.number_grid import NumberGrid
from auditor.tui.widgets.words_view import WordsView
from auditor.tui.work import Work

_LOOK_SECONDS = 1.0
"""Between two looks at whether anybody has written to the file."""
_REST = 10
"""How many times as long as the file was read it is not looked at again."""
_READING = "Reading the reviews …"
OnLeave = Callable[["int | None", Place], Awaitable[None]]
"""Is told from which place of the session's queue the review goes on, None = where it was, and where one was here."""


class AgreementScreen(ActingScreen):
    """Three tables; the pair and the tag that are chosen in one decide what the others show."""

    DEFAULT_CSS = """
    AgreementScreen { layout: vertical; background: $background; }
    AgreementScreen #agreement-words { height: 3; }
    """

    def __init__(self, session: ReviewSession, work: Work, setup: Setup, on_close: OnLeave, place: Place) -> None:
        self._message = MessageRule()
        super().__init__(session, work, setup.screens["agreement"], self._message)
        self._setup = setup
        self._on_close = on_close
        self._place = place
        self._ground: Ground | None = None
        self._values: Values = {}
        self._report: PairReport | None = None
        self._reports: dict[tuple[str, str], PairReport] = {}
        """Of pairs that are measured wholly, on the ground that is shown."""
        self._reading = self._again = False
        self._is_read = False
        self._began = self._rest_until = 0.0
        self._problem = ""
        self._watch: FileWatch | None = None
        self._measuring = Measuring(self, session.path, session.codebook_name)
        self._origin: ReviewQueue | None = None
        """The queue of before, while the items behind a number are shown."""
        self.tables = AgreementTables(place.table)
        self._words = WordsView(id="agreement-words")

    def compose(self) -> ComposeResult:
        yield self.tables
        yield self._words
        yield self._message
        yield self.footer

    def on_mount(self) -> None:
        self.tables.go_to_table(self._place.table)
        self._words.show_words([_READING])
        try:
            self._watch = FileWatch(self.session.path)
        except AuditorError as error:
            self.say(str(error), refused=True)
        self._read()
        self.set_interval(_LOOK_SECONDS, self._look)

    def on_unmount(self) -> None:
        if self._watch is not None:
            self._watch.close()

    def on_screen_resume(self) -> None:
        self.follow_file()

    # --- reading and measuring -------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Follow the file, but in a large one that is written all the time, rest longer than reading it takes."""
        if self.is_current and monotonic() >= self._rest_until:
            self.follow_file()

    def follow_file(self) -> None:
        """Read again what was said, where somebody has written to the file."""
        if self._watch is not None and self._watch.has_changed():
            self._read()

    def _read(self) -> None:
        # One after the other: where others write all the time, each reading still comes to its end.
        self._again = self._reading
        if not self._reading:
            self._reading, self._began = True, monotonic()
            self._measuring.read(first=not self._is_read)

    def on_ground_read(self, message: GroundRead) -> None:
        """Show what was said; where it is what is shown already, nothing changes."""
        message.stop()
        self._reading, self._is_read, self._problem = False, True, ""
        now = monotonic()
        self._rest_until = now + _REST * (now - self._began)
        ground = message.ground
        if ground is None or self._ground is None or not ground.is_same(self._ground):
            self._ground, self._reports = ground, {}
            if ground is not None:
                self._place = _place_on(ground, self._place, self.session.annotator)
                self._measuring.measure_matrix(ground)
            self._measure_pair()
            self._show()
        if self._again:
            self._again = False
            self._read()

    def on_kept_read(self, message: KeptRead) -> None:
        """Show what the file keeps, until what was said is read."""
        message.stop()
        if self._ground is None:
            self._ground, self._values = message.ground, message.ground.kept or {}
            self._place = _place_on(message.ground, self._place, self.session.annotator)
            self._show()

    def on_matrix_measured(self, message: MatrixMeasured) -> None:
        message.stop()
        if message.ground is self._ground:
            self._values = message.values
            self._show()

    def on_pair_measured(self, message: PairMeasured) -> None:
        message.stop()
        if message.ground is not self._ground:
            return
        if message.complete:
            self._reports[message.pair] = message.report
        if message.pair == (self._place.first, self._place.second):
            self._report = message.report
            self._show()

    def on_measuring_failed(self, message: MeasuringFailed) -> None:
        message.stop()
        self._reading, self._problem = False, message.words
        self._show_words()

    def _measure_pair(self) -> None:
        """Measure the pair that is chosen, unless it is measured."""
        place = self._place
        self._report = self._reports.get((place.first, place.second))
        is_read = self._ground is not None and self._ground.kept is None
        if self._ground is not None and is_read and self._report is None and place.first != place.second:
            self._measuring.measure_pair(self._ground, (place.first, place.second))

    # --- showing ---------------------------------------------------------------------------------------------------

    @property
    def numbers(self) -> Numbers | None:
        """Return what is known and what of it is chosen; None while nothing is read or reviewed."""
        if self._ground is None:
            return None
        return Numbers(self._ground, self._place, self._values, self._report)

    def _show(self) -> None:
        if (numbers := self.numbers) is not None:
            self.tables.show(numbers)
        self._show_words()

    def _show_words(self) -> None:
        """Say what is known of the cell that is chosen, or why there is nothing."""
        command = f"auditor review {shell_path(self.session.path)}"
        why_not = words.why_no_numbers(self._ground, command) if self._is_read else ""
        self._words.show_words([self._problem or why_not or self._cell_words()])
        self.show_situation()

    def _cell_words(self) -> str:
        numbers = self.numbers
        if numbers is None:
            return _READING
        ground, place, report = numbers.ground, numbers.place, numbers.report
        if numbers.is_one and ground.kept is not None:
            return _READING
        if numbers.is_one:
            return f"{words.shown_name(place.first)} reviewed {counted(len(ground.said[place.first]), 'item')}."
        if place.table == CONFUSION and report is not None:
            return words.describe_cell(ground, report.confusion, *self.tables.chosen_cell(report))
        if numbers.kappa is None:
            return "Measuring …"
        if ground.kept is not None:
            known = words.describe_pair(ground, *numbers.pair, place.tag, numbers.kappa, None)
            return f"{known} {_READING} Intervals, whole sets, confusion and items come then."
        row = next((one for one in report.rows if one.tag == place.tag), None) if report is not None else None
        return words.describe_pair(ground, *numbers.pair, place.tag, numbers.kappa, row)

    # --- keys and clicks -------------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        numbers = self.numbers
        if numbers is None or numbers.is_one or numbers.ground.kept is not None:
            return Situation(items=0)
        return Situation(items=numbers.kappa.n_items if numbers.kappa is not None else 0)

    def action_next_table(self, which: str) -> None:
        """Let the keys act on another table."""
        self._go_to_table((self._place.table + (1 if which == "next" else -1)) % 3)

    def _go_to_table(self, table: int) -> None:
        self._place = self._place._replace(table=table)
        self.tables.go_to_table(table)
        self._show_words()

    def action_step_cell(self, how: str) -> None:
        """Go to another cell of the table, or scroll the page that lies over the tables."""
        if self.tables.shows_how:
            self.tables.how.scroll_by({"left": "up", "right": "down"}.get(how, how))
            return
        view = self.tables.view
        row, column = view.stepped(how)
        self._choose(self._place.table, row, column)

    def _choose(self, table: int, row: int, column: int) -> None:
        """Act on a cell of a table; the other tables follow."""
        numbers = self.numbers
        if numbers is None:
            return
        if table == CONFUSION:
            self.tables.confusion.go_to_cell(row, column)
            self._show_words()
            return
        names = numbers.ground.names
        if table == MATRIX:
            self._place = self._place._replace(first=names[row], second=names[column])
            self._measure_pair()
        else:
            self._place = self._place._replace(tag=numbers.tags[row])
        self._show()

    def on_number_grid_picked(self, message: NumberGrid.Picked) -> None:
        message.stop()
        self._go_to_table(self.tables.table_of(message.grid))
        self._choose(self._place.table, message.row, message.column)

    def on_row_view_chosen(self, message: TagRows.Chosen) -> None:
        message.stop()
        self._go_to_table(TAGS)
        self._choose(TAGS, message.index, 0)

    def action_show_how(self) -> None:
        """Show how the numbers were computed, or the tables again."""
        numbers = self.numbers
        if self.tables.shows_how or numbers is None:
            self.tables.hide_how()
        else:
            path = shell_path(self.session.path)
            self.tables.show_how(words.how_lines(numbers.ground, *numbers.pair, numbers.report, path))

    # --- the items behind a number ---------------------------------------------------------------------------------

    async def action_show_items(self) -> None:
        """Show the items behind the cell in the queue, from which they can be reviewed."""
        from auditor.tui.screens.queue import QueueScreen

        numbers = self.numbers
        if numbers is None:
            return
        ground, place, report = numbers.ground, numbers.place, numbers.report
        both = " and ".join(map(words.shown_name, numbers.pair))
        if place.table == CONFUSION and report is not None:
            ids = await self.work.call(confused_items, ground, *numbers.pair, self.tables.chosen_cell(report))
            what, nothing = self._cell_words().partition(": ")[2].removesuffix("."), "No item is in this cell."
        else:
            ids = await self.work.call(differing_items, ground, *numbers.pair, place.tag)
            about = "" if place.tag is None else f" on {words.shown_name(words.tag_name(ground, place.tag))}"
            what, nothing = f"{both} differ{about}", f"{both} agree{about} on every item that both reviewed."
        if not ids:
            self.say(nothing, refused=True)
            return
        self._origin = self.session.use_queue(ReviewQueue(ids, what))
        await self.app.push_screen(QueueScreen(self.session, self.work, self._setup, 0, self._leave_items))

    async def _leave_items(self, index: int | None, said: str) -> None:
        """Go on with the review at one of the items, or show the numbers again; nothing is said of the queue then."""
        origin, self._origin = self._origin, None
        assert origin is not None
        if index is None:
            self.session.use_queue(origin)
            self.follow_file()
        else:
            origin.cancel()
            await self._close(index)

    # --- leaving ---------------------------------------------------------------------------------------------------

    async def action_close_agreement(self) -> None:
        """Take away the page that lies over the tables, else the screen."""
        if self.tables.shows_how:
            self.tables.hide_how()
        else:
            await self._close(None)

    async def _close(self, index: int | None) -> None:
        # Both are done before the next key, which is that of the screen below.
        await self.app.pop_screen()
        await self._on_close(index, self._place)

    def action_interrupt(self) -> None:
        """Say how to leave."""
        self.say(f"{self.keys['agreement.close']} goes back.")


def _place_on(ground: Ground, place: Place, own: str) -> Place:
    """Stay at the pair and the tag; begin with two who reviewed anything together, oneself if that is possible."""
    names = sorted(ground.names, key=lambda name: name != own)
    if place.first not in names or place.second not in names:
        pairs = ((one, other) for at, one in enumerate(names) for other in names[at + 1 :])
        shared = (pair for pair in pairs if ground.have_both(*pair))
        first, second = next(shared, (names[0], names[-1]))
        place = place._replace(first=first, second=second)
    return place if place.tag in ground.tags else place._replace(tag=None)
