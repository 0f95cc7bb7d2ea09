"""What a setting made of a problem: implementations by tests, probes, measures; and the answer behind one mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from textual import events
from textual.app import ComposeResult

from auditor.audit.consistency import MARKS, Cell, Consistency, ProbeRow, Repetition, marks_told, measure_words
from auditor.audit.related_items import RelatedItems
from auditor.audit.review import ReviewSession
from auditor.text import counted, visible_line, visible_name
from auditor.tui.actions import Action, Situation
from auditor.tui.glance_line import glance_line
from auditor.tui.screens.related import OnClose, RelatedScreen
from auditor.tui.setup import Setup
from auditor.tui.turns import do_in_turn
from auditor.tui.widgets.answer_panel import AnswerPanel
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.number_grid import GridCell, NumberGrid
from auditor.tui.widgets.pane import Pane
from auditor.tui.widgets.probe_rows import ProbeRows, mark_of
from auditor.tui.widgets.words_view import WordsView
from auditor.tui.work import Work

_LEAST_PANEL = 8
"""Rows in which an answer can be read; where fewer are left, the marks have them."""
_WORDS = 3
_AROUND = 3
"""Rows of the screen's title, its message and its footer."""


class ConsistencyScreen(RelatedScreen):
    """Goes along the marks of one repetition; another setting or sample keeps the mark's place."""

    closing = "consistency.close"

    def __init__(
        self,
        session: ReviewSession,
        work: Work,
        actions: Sequence[Action],
        related: RelatedItems,
        found: Consistency,
        response_id: int,
        on_close: OnClose,
        setup: Setup,
    ) -> None:
        """`response_id` is of the item that it was asked for."""
        super().__init__(session, work, actions, related, on_close)
        self._setup = setup
        self._found = found
        self._origin = response_id
        self._panel = AnswerPanel()
        self._grid, self._probes = NumberGrid(), ProbeRows()
        self._grid_pane = Pane("Outputs", self._grid, head=self._grid.head, id="outputs")
        self._probe_pane = Pane("Probes", self._probes, id="probes")
        self._words = WordsView(id="strip-words")
        self._in_probes = False
        """Whether the keys act on a probe."""
        self._glance = ""
        """Where the answer leaves its oracle, for a screen that has no room for both."""

    def compose(self) -> ComposeResult:
        yield self._title
        with Box(id="related"):
            yield self._grid_pane
            yield self._probe_pane
            yield self._words
            yield self._panel
            yield self._over
        yield self._message
        yield self.footer

    async def on_mount(self) -> None:
        self._show_strip()
        self._go_to_origin()
        self._share_room()
        # In a pane that has its size, the cursor is brought onto the screen.
        self.call_after_refresh(self._grid.follow_size)
        await self._show_mark()

    def on_resize(self, event: events.Resize) -> None:
        self._share_room()
        self._show_words()

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _show_strip(self) -> None:
        """Show the marks of the repetition."""
        found, repetition = self._found, self._found.repetition
        names = [f"{row.name} {row.tally.right}/{row.tally.asked}" for row in found.implementations]
        self._grid.show_grid(names, found.tests, _grid_cells(found))
        self._probes.show_probes(found.probes)
        settings = list(dict.fromkeys(one.setting for one in found.repetitions))
        self._title.show(
            name=f"Consistency of {found.problem}",
            detail=repetition.name,
            kept=f"sample {repetition.sample}",
            extent=f"setting {settings.index(repetition.setting) + 1} of {len(settings)}",
        )
        right = sum(row.tally.asked > 0 and row.tally.all_right for row in found.implementations)
        about = f"{right} of {counted(len(names), 'implementation')} right in all tests"
        self._grid_pane.title.show(detail=f"{about}   {marks_told(found)}")
        asked = [one.cell for one in found.probes if one.cell.counts]
        self._probe_pane.title.show(detail=f"{sum(cell.right for cell in asked)} of {len(asked)} right")

    def _go_to_origin(self) -> None:
        """Go to the mark of the item that the screen was opened for; its own may have been replaced by an import."""
        for at, probe in enumerate(self._found.probes):
            if probe.cell.response_id == self._origin:
                self._in_probes = True
                self._probes.go_to(at)
        for row, one in enumerate(self._found.implementations):
            for column, test in enumerate(self._found.tests):
                if test in one.cells and one.cells[test].response_id == self._origin:
                    self._grid.go_to_cell(row, column)
        if not self._found.implementations:
            self._in_probes = True

    def _share_room(self) -> None:
        """Give the marks the rows they need; the answer has a place where it can be read in what is left."""
        outputs, probes = len(self._found.implementations), len(self._found.probes)
        wanted = (outputs + 2 if outputs else 0) + (probes + 1 if probes else 0)
        left = self.size.height - _AROUND - _WORDS - wanted
        self._grid_pane.display, self._probe_pane.display = bool(outputs), bool(probes)
        self._panel.display = left >= _LEAST_PANEL
        self._grid_pane.styles.height = outputs + 2 if left >= 0 else f"{outputs + 2}fr"
        self._probe_pane.styles.height = probes + 1 if left >= 0 else f"{probes + 1}fr"
        self._words.styles.height = "1fr" if 0 <= left < _LEAST_PANEL else _WORDS

    @property
    def panel(self) -> AnswerPanel:
        return self._panel

    @property
    def cell(self) -> Cell | None:
        """Return what the mark with the cursor stands for; None where an implementation has no such test."""
        found = self._found
        if self._in_probes:
            return found.probes[self._probes.index].cell if found.probes else None
        return found.implementations[self._grid.index].cells.get(found.tests[self._grid.column])

    async def _show_mark(self) -> None:
        """Show the answer behind the mark, and say what it is."""
        cell, name = self.cell, self._mark_name()
        self._grid.has_cursor = not self._in_probes
        self._grid.refresh()
        self._grid.head.refresh()
        self._probes.show_active(self._in_probes)
        self.set_focus(self._probes if self._in_probes else self._grid)
        self._glance = ""
        if cell is None:
            self._panel.show_nothing(name)
        elif cell.response_id is None:
            self._panel.show_absent(name, await self.work.call(self.related.task, cell.task_id))
        else:
            item = await self.work.call(self.session.item_by_id, cell.response_id)
            self._panel.show_item(name, item, "this item" if cell.response_id == self._origin else "")
            self._glance = glance_line(item.grade, item.oracle_text, item.task.target).text
        self._show_words()
        self.show_situation()

    def _show_words(self) -> None:
        words = [measure_words(self._found), f"{self._mark_name()}: {self._mark_words(self.cell)}"]
        if self._glance and not self._panel.display:
            words.append(self._glance)
        self._words.show_words(words)

    def _mark_name(self) -> str:
        if self._in_probes:
            return visible_name(self._found.probes[self._probes.index].name)
        row = self._found.implementations[self._grid.index]
        return f"{visible_name(row.name)}/{visible_name(self._found.tests[self._grid.column])}"

    def _mark_words(self, cell: Cell | None) -> str:
        """Say what a mark stands for; of a probe also what is asked."""
        if cell is None:
            return "this implementation has no such test."
        told = f"{MARKS[cell.state]} {cell.state}."
        if not self._in_probes:
            return told
        probe = self._found.probes[self._probes.index]
        dimensions = visible_line(", ".join(probe.dimensions), 80)
        about = (f"{dimensions}." if dimensions else "", visible_line(probe.question, 300))
        return " ".join(filter(None, (told, *about)))

    # --- keys and clicks -------------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        found = self._found
        lacks: dict[str, str] = {}
        if all(one.setting == found.repetition.setting for one in found.repetitions):
            lacks["setting"] = "No other setting was asked about this problem."
        if sum(one.setting == found.repetition.setting for one in found.repetitions) == 1:
            lacks["sample"] = "This setting has only one sample."
        return super().situation._replace(lacks=lacks)

    async def action_step_cell(self, how: str) -> None:
        """Go to another mark; a text that lies over the marks is scrolled."""
        if self._over.which is not None:
            self._over.text.scroll_by({"left": "up", "right": "down"}.get(how, how))
            return
        self._step(how)
        await self._show_mark()

    def _step(self, how: str) -> None:
        grid, probes = self._grid, self._probes
        outputs, total = len(self._found.implementations), len(self._found.probes)
        if how == "start" and outputs:
            self._in_probes = False
        elif how == "end" and total:
            self._in_probes = True
        elif how in ("down", "page down") and not self._in_probes and total and grid.index == outputs - 1:
            self._in_probes = True
            probes.go_to(0)
            return
        elif how in ("up", "page up") and self._in_probes and outputs and probes.index == 0:
            self._in_probes = False
            grid.go_to_cell(outputs - 1, grid.column)
            return
        if self._in_probes:
            probes.go_to(probes.stepped_row(how))
        else:
            grid.go_to_cell(*grid.stepped(how))

    async def action_show_repetition(self, what: str, which: str) -> None:
        """Show another setting, in the same sample where it has that, or another sample of the setting."""
        found, step = self._found, 1 if which == "next" else -1
        here = found.repetition
        if what == "sample":
            own = [one for one in found.repetitions if one.setting == here.setting]
            chosen = own[(own.index(here) + step) % len(own)]
        else:
            settings = list(dict.fromkeys(one.setting for one in found.repetitions))
            other = settings[(settings.index(here.setting) + step) % len(settings)]
            samples = [one for one in found.repetitions if one.setting == other]
            chosen = next((one for one in samples if one.sample == here.sample), samples[0])
        await self._show_repetition(chosen)

    async def _show_repetition(self, repetition: Repetition) -> None:
        self._found = await self.work.call(self.related.consistency, self._origin, repetition)
        self._over.hide()
        with self.app.batch_update():
            self._show_strip()
            await self._show_mark()

    async def action_show_sides(self) -> None:
        """Show the item's implementation beside that of the mark, with what the repetition made of them."""
        from auditor.tui.screens.sides import SidesScreen

        found = self._found
        at = found.probes[self._probes.index] if self._in_probes else found.implementations[self._grid.index]
        name = at.implementation if isinstance(at, ProbeRow) else at.name
        related = await self.work.call(self.session.related)
        try:
            sides = await self.work.call(related.implementations, self._origin, found.repetition)
        except BaseException:
            related.close()
            raise
        actions, folding = self._setup.screens["sides"], self._setup.settings.fold
        screen = SidesScreen(
            self.session, self.work, actions, related, sides, self._leave_sides, begin_with=name, folding=folding
        )
        screen.wraps = self.wraps
        await self.app.push_screen(screen)

    async def _leave_sides(self, response_id: int | None) -> None:
        if response_id is not None:
            await self._close(response_id)

    async def action_choose(self, in_probes: int, row: int, column: int) -> None:
        """Go to a mark that was clicked."""
        await self.act(partial(self._go_to, bool(in_probes), row, column))

    async def _go_to(self, in_probes: bool, row: int, column: int) -> None:
        if self._over.which is not None:
            return
        self._in_probes = in_probes
        if in_probes:
            self._probes.go_to(row)
        else:
            self._grid.go_to_cell(row, column)
        await self._show_mark()

    def on_number_grid_picked(self, message: NumberGrid.Picked) -> None:
        message.stop()
        do_in_turn(self, f"choose(0, {message.row}, {message.column})")

    def on_row_view_chosen(self, message: ProbeRows.Chosen) -> None:
        message.stop()
        do_in_turn(self, f"choose(1, {message.index}, 0)")


def _grid_cells(found: Consistency) -> Mapping[tuple[int, int], GridCell]:
    cells = {}
    for row, one in enumerate(found.implementations):
        for column, test in enumerate(found.tests):
            if test in one.cells:
                mark, role = mark_of(one.cells[test])
                cells[row, column] = GridCell(mark, role=role)
    return cells
