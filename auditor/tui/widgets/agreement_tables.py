"""The three tables of the agreement screen, and the page about them: where each stands, and what stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.app import ComposeResult

from auditor.agreement.coefficient import Coefficient
from auditor.audit.agreement_overview import Ground, PairReport, Values
from auditor.tui import agreement_words as words
from auditor.tui.agreement_cells import confusion_cells, confusion_names, matrix_cells
from auditor.tui.parts.agreeing import Place
from auditor.tui.widgets.agreement_rows import TagRows
from auditor.tui.widgets.box import Box
from auditor.tui.widgets.number_grid import NumberGrid
from auditor.tui.widgets.pane import Divider, Pane
from auditor.tui.widgets.words_view import WordsView

_NARROW, _SHORT = 110, 20
_ROWS_OF_MATRIX = 5
"""Annotators that a narrow screen shows above the other table; others come when the cursor does."""
MATRIX, TAGS, CONFUSION = range(3)


class Numbers(NamedTuple):
    """What is known, and what of it is chosen."""

    ground: Ground
    place: Place
    values: Values
    report: PairReport | None = None
    """Of the pair that is chosen, as far as it is measured."""

    @property
    def pair(self) -> tuple[str, str]:
        """Return the names of the two that are compared."""
        return self.place.first, self.place.second

    @property
    def is_one(self) -> bool:
        """Say whether the two are one annotator."""
        return self.place.first == self.place.second

    @property
    def kappa(self) -> Coefficient | None:
        """Return the kappa that is chosen, without an interval; None = not measured yet."""
        return self.values.get(frozenset(self.pair), {}).get(self.place.tag)

    @property
    def tags(self) -> tuple[str | None, ...]:
        """Return what the rows of the tags are about: whole sets, then each tag."""
        return (None, *self.ground.tags)


class AgreementTables(Box):
    """Annotators beside tags above confusion; in a narrow terminal annotators above one of the others."""

    DEFAULT_CSS = """
    AgreementTables { layout: vertical; height: 1fr; }
    AgreementTables #agreement-above { height: 3fr; }
    AgreementTables #agreement-confusion, AgreementTables #agreement-how { height: 2fr; }
    AgreementTables #agreement-how { display: none; }
    """

    def __init__(self, table: int) -> None:
        super().__init__()
        self.matrix, self.rows, self.confusion = NumberGrid(), TagRows(), NumberGrid()
        self.how = WordsView()
        self._table = table
        self._people = 1
        self._confused: tuple[str, str] | None = None
        """Whose confusion is shown, rows before columns."""
        self._panes = (
            Pane("Annotators", self.matrix, id="agreement-matrix", head=self.matrix.head),
            Pane("Tags", self.rows, id="agreement-tags", head=self.rows.head),
            Pane("Confusion", self.confusion, id="agreement-confusion", head=self.confusion.head),
        )
        self._divider = Divider()
        self._above = Box(self._panes[0], self._divider, self._panes[1], id="agreement-above")
        self._how_pane = Pane("How the numbers were computed", self.how, id="agreement-how")

    def compose(self) -> ComposeResult:
        yield self._above
        yield self._panes[2]
        yield self._how_pane

    def on_resize(self) -> None:
        self._share_room()
        self.call_after_refresh(self._divider.refresh)

    # --- where everything stands -----------------------------------------------------------------------------------

    @property
    def view(self) -> NumberGrid | TagRows:
        """Return the table that the keys act on."""
        return (self.matrix, self.rows, self.confusion)[self._table]

    def table_of(self, view: NumberGrid | TagRows) -> int:
        """Return which of the tables a view is."""
        return (self.matrix, self.rows, self.confusion).index(view)

    def go_to_table(self, table: int) -> None:
        """Let the keys act on another table, and show it."""
        self._table = table
        self.hide_how()
        self._share_room()
        self.screen.set_focus(self.view)

    @property
    def shows_how(self) -> bool:
        """Say whether the page about the numbers lies over them."""
        return self._how_pane.display

    def show_how(self, lines: Sequence[str]) -> None:
        """Show a page in place of the tables."""
        self.how.show_words(lines)
        self._how_pane.display = True
        self._share_room()
        self.screen.set_focus(self.how)

    def hide_how(self) -> None:
        """Show the tables again."""
        if self.shows_how:
            self._how_pane.display = False
            self._share_room()
            self.screen.set_focus(self.view)

    def _share_room(self) -> None:
        width, height = self.screen.size
        narrow, how, tall = width < _NARROW, self.shows_how, height >= _SHORT
        matrix, tags, confusion = self._panes
        lower_is_confusion = self._table == CONFUSION
        self._above.styles.layout = "vertical" if narrow else "horizontal"
        self._divider.display = not narrow
        self._above.display = not how and (tall or not narrow or not lower_is_confusion)
        matrix.display = tall or not narrow or self._table == MATRIX
        tags.display = not narrow or (not lower_is_confusion and (tall or self._table == TAGS))
        confusion.display = not how and (not narrow or lower_is_confusion)
        matrix.styles.width = "1fr" if narrow else max(26, min(self.matrix.wanted_width + 2, width * 9 // 20))
        rows = min(self._people, _ROWS_OF_MATRIX) + 2
        matrix.styles.height = rows if narrow and tall else "1fr"
        self._above.styles.height = rows if narrow and tall and lower_is_confusion else "3fr"

    # --- what stands in it -----------------------------------------------------------------------------------------

    def show(self, numbers: Numbers) -> None:
        """Show numbers in all tables, and the cells that are chosen."""
        ground, place, report = numbers.ground, numbers.place, numbers.report
        names = ground.names
        labels = [words.kind_words(name, ground.audit.kinds[name]) for name in names]
        at = (names.index(place.first), names.index(place.second))
        self.matrix.show_grid(labels, names, matrix_cells(ground, numbers.values, place.tag), at)
        self._show_rows(numbers)
        if report is not None:
            tags = confusion_names(ground, report.confusion)
            cells = confusion_cells(report.confusion)
            self.confusion.show_grid([name for name, _ in tags], [head for _, head in tags], cells)
            self._confused = (place.first, place.second)
        elif self._confused not in (None, (place.first, place.second)):
            # What is counted of other two never stands under these names, not even until these are counted.
            self.confusion.show_grid([], [], {})
            self._confused = None
        self._people = len(names)
        self._share_room()
        self._show_titles(numbers)

    def _show_rows(self, numbers: Numbers) -> None:
        ground, values = numbers.ground, numbers.values.get(frozenset(numbers.pair), {})
        rows = [words.row_of_report(ground, row) for row in numbers.report.rows] if numbers.report is not None else []
        rows += [words.row_of_value(ground, tag, values[tag]) for tag in numbers.tags[len(rows) :] if tag in values]
        self.rows.show_rows(rows, numbers.tags.index(numbers.place.tag))

    def _show_titles(self, numbers: Numbers) -> None:
        ground, place = numbers.ground, numbers.place
        matrix, tags, confusion = self._panes
        to_come = len(ground.names) * (len(ground.names) - 1) // 2 - len(numbers.values)
        about = f"kappa, {words.tag_name(ground, place.tag)}"
        matrix.title.show(detail=about + (f", {to_come} pairs to come" if to_come > 0 else ""))
        measured = len(numbers.report.rows) - 1 if numbers.report is not None else 0
        progress = (
            "" if measured >= len(ground.tags) or numbers.is_one else f"intervals {measured} of {len(ground.tags)}"
        )
        tags.title.show(detail=place.first if numbers.is_one else " and ".join(numbers.pair), kept=progress)
        confusion.title.show(detail=f"rows {place.first}, columns {place.second}")

    def chosen_cell(self, report: PairReport) -> tuple[str | None, str | None]:
        """Return the tags of the cell of the confusion that is chosen; None = none."""
        tags = (*report.confusion.used, None)
        return tags[min(self.confusion.index, len(tags) - 1)], tags[min(self.confusion.column, len(tags) - 1)]
