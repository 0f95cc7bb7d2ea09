"""A program: true line numbers, the checkpoint's line marked, blocks folded, tokens coloured as far as one sees."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual import events

from auditor.model import Checkpoint
from auditor.text import visible_line
from auditor.tui.folding import Fold, fold_lines
from auditor.tui.highlighting import SLICE_SECONDS, Highlighter, load_lexer
from auditor.tui.marked_lines import MEMO, RoleSpan
from auditor.tui.widgets.growing_view import GrowingView
from auditor.tui.widgets.line_view import Beside
from auditor.tui.wrapping import Row, WrappedText

if TYPE_CHECKING:
    from pygments.lexer import Lexer

    from auditor.audit.cstar_item import LineMark

VIOLATION = "✗"
"""What stands before the line that execution says something of."""
FOLDING = ("auto", "on", "off")
"""When blocks fold: as far as needed for the program to fit, wherever they can, or only when they are asked to."""
_MOST_FOLDED_UNASKED = 10_000
"""Lines of a program that folds by itself: folding more of them would be felt at every item."""
_SHOWN_MEMO = 400
"""Characters of a memo that are looked at: more never fit behind a line."""


class SourceView(GrowingView):
    """The source of a task. Its rows are numbered with the lines of the program, folded or not."""

    def __init__(self, *, folding: str = "off", id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        """`folding` is one of FOLDING."""
        super().__init__(id=id)
        self._folding = folding
        self._highlighter: Highlighter | None = None
        self._lexers: dict[str, Lexer | None] = {}
        self._language = ""
        self._checkpoint: Checkpoint | None = None
        self._mark: LineMark | None = None
        """What execution says of a line."""
        self._numbers = 2
        self._source: Sequence[str] = []
        """All lines, visible; of a large program those that are laid out."""
        self._count = 0
        """Lines of the program."""
        self._folds: dict[int, Fold] = {}
        """By the row of the view that stands for it; rows are counted before they are wrapped."""
        self._lines_of_rows: Sequence[int] = ()
        """For each of these rows the line of the program, of a fold its first."""
        self._fold_now: str = folding
        """One of FOLDING, for the program that is shown."""
        self._folded_for = 0
        """The height that the folds were made for."""
        self._chosen: int | None = None
        """The line that the person chose, from 0."""
        self._memos: dict[int, str] = {}

    def show_source(
        self, source: str, language: str, checkpoint: Checkpoint | None, mark: LineMark | None = None
    ) -> None:
        """Show a program in one of the task languages, with its checkpoint's line in sight, or else that of a mark."""
        # A final newline ends its line and begins no other.
        text = source.removesuffix("\n")
        self._count = text.count("\n") + 1
        lines = self.begin(text)
        is_other = lines is not self._source or language != self._language
        looks = (self._checkpoint, self._mark, self._chosen, self._memos, self._fold_now)
        is_same = not is_other and looks == (checkpoint, mark, None, {}, self._folding)
        self._language, self._checkpoint, self._mark = language, checkpoint, mark
        self._chosen, self._memos = None, {}
        self._numbers = max(2, len(str(self._count)))
        self.gutter_width = self._numbers + 4
        if is_other:
            self._take_lines(lines)
        self._fold_now = self._folding
        if is_same and self._are_laid_out(self.lines):
            self.reopen()
        else:
            self.show_lines(self._fold())
        self._want_lexer()

    def show_mark(self, mark: LineMark | None) -> None:
        """Mark a line of the program that is shown; a program that nobody scrolled opens anew, with it in sight."""
        if mark != self._mark:
            self._mark = mark
            self._fold_again()
            self.refresh()

    def show_spelling(self, source: str, language: str) -> None:
        """Show the program in another spelling, line by line the same; what is on the screen stays there."""
        untouched, line = self.scroll_offset.y == self._opened_at, self._line_at_top
        self._language = language
        self._take_lines(self.begin(source.removesuffix("\n")))
        self._wrap(self._fold())
        self._stay_at(None if untouched or line is None else self._row_at_top(line))
        self._want_lexer()

    def _want_lexer(self) -> None:
        if self._language not in self._lexers:
            self.call_after_refresh(self._start_loading, self._language)

    def _take_lines(self, lines: Sequence[str]) -> None:
        self._source = lines
        self._highlighter = Highlighter(lines, self._lexers.get(self._language))

    def grow(self, layout: WrappedText) -> None:
        self._take_lines(layout.lines)
        self._lines_of_rows = range(len(layout.lines))
        super().grow(layout)

    def opening_row(self) -> int:
        line = self._line_in_sight
        if line is None:
            return 0
        return self._wrapped.row_at(self._row_of(line), 0) - self.scrollable_content_region.height // 2

    @property
    def _checkpoint_line(self) -> int | None:
        """Return the checkpoint's line, counted from 0; None where the program has no such line."""
        checkpoint = self._checkpoint
        return checkpoint.line - 1 if checkpoint is not None and 0 < checkpoint.line <= self._count else None

    @property
    def _line_in_sight(self) -> int | None:
        """Return the line that the program is opened at, counted from 0: the checkpoint's, or else the marked one."""
        if self._checkpoint_line is None and self._mark is not None and 0 < self._mark.line <= self._count:
            return self._mark.line - 1
        return self._checkpoint_line

    # --- folds -----------------------------------------------------------------------------------------------------

    def toggle_folds(self) -> str:
        """Fold every block that can be, or unfold all; return what came of it in a sentence."""
        if self.is_large:
            return "This program is too large to fold."
        self._fold_now = "off" if self._folds else "on"
        folds = self._folds
        self._fold_again()
        if not self._folds and not folds:
            return "This program has nothing to fold."
        return "" if self._folds else "All lines are shown."

    def _fold(self) -> Sequence[str]:
        """Find the folds for the height, and return the lines with a row for each."""
        self._folded_for = self.scrollable_content_region.height
        folds: Sequence[Fold] = ()
        asked = self._fold_now == "on"
        unasked = self._fold_now == "auto" and self._folded_for > 0 and self._count <= _MOST_FOLDED_UNASKED
        if not self.is_large and (asked or unasked):
            room = None if asked else self._folded_for
            folds = fold_lines(self._source, self._language, self._line_in_sight, room, self._chosen)
        self._folds = {}
        if not folds:
            self._lines_of_rows = range(len(self._source))
            return self._source
        lines: list[str] = []
        numbers: list[int] = []
        at = 0
        for fold in folds:
            lines += self._source[at : fold.start]
            numbers += range(at, fold.start)
            self._folds[len(lines)] = fold
            lines.append(fold.words)
            numbers.append(fold.start)
            at = fold.end
        self._lines_of_rows = [*numbers, *range(at, len(self._source))]
        return [*lines, *self._source[at:]]

    def _fold_again(self) -> None:
        """Fold for what is wanted now; a program that nobody scrolled opens anew, another keeps its line at the top."""
        untouched, line = self.scroll_offset.y == self._opened_at, self._line_at_top
        self._wrap(self._fold())
        self._stay_at(None if untouched or line is None else self._row_at_top(line))

    @property
    def _line_at_top(self) -> int | None:
        """Return the line of the program at the top of the window, counted from 0; None where there is none."""
        top = self._top
        return None if top is None else self._lines_of_rows[top.line]

    def _row_at_top(self, line: int) -> Row:
        """Return the first row of a line of the program."""
        return self._wrapped.row(self._wrapped.row_at(self._row_of(line), 0))

    def follow_size(self) -> None:
        height = self.scrollable_content_region.height
        foldable = self._fold_now == "auto" and not self.is_large
        if foldable and self.text_width > 0 and height != self._folded_for:
            self._fold_again()
        super().follow_size()

    @property
    def rows_wanted(self) -> int:
        # What folds for want of rows would not with more of them.
        unfolded = self._count if self._fold_now == "auto" else 0
        return max(super().rows_wanted, unfolded)

    def _row_of(self, line: int) -> int:
        """Return the row, before wrapping, that shows a line of the program or the fold that it is in."""
        return max(0, bisect_right(self._lines_of_rows, line) - 1)

    # --- the chosen line and memos -----------------------------------------------------------------------------------

    def show_memos(self, memos: Mapping[int, str]) -> None:
        """Mark the lines, by their numbers from 1, that have memos."""
        shown = {number - 1: visible_line(text, _SHOWN_MEMO) for number, text in memos.items()}
        if shown != self._memos:
            self._memos = shown
            self.refresh()

    @property
    def chosen_line(self) -> int:
        """Return the number, from 1, of the chosen line where it is on the screen, else of the first one that is."""
        first, last = self._shown()
        return self._chosen + 1 if self._chosen is not None and first <= self._chosen <= last else first + 1

    def scroll_by(self, how: str) -> None:
        """Scroll; by a row, also choose the next line or the one before, which the last rows are reached by."""
        row = self._row_of(self.chosen_line - 1)
        super().scroll_by(how)
        if how in ("down", "up") and self.lines:
            row = max(0, min(row + (1 if how == "down" else -1), len(self.lines) - 1))
            self.choose(self._lines_of_rows[row])

    def choose(self, line: int) -> None:
        """Choose a line, counted from 0, and bring it on the screen."""
        self._chosen = line
        height, top = max(1, self.scrollable_content_region.height), self.scroll_offset.y
        row = self._wrapped.row_at(self._row_of(line), 0)
        if not top <= row < top + height:
            self.jump_to(min(self.max_scroll_y, row if row < top else row - height + 1))
        self.refresh()
        self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        row = event.y + self.scroll_offset.y
        if row < self._wrapped.rows:
            self.choose(self._lines_of_rows[self._wrapped.row(row).line])

    def _lines_at(self, row: int) -> range:
        """Return the lines of the program, counted from 0, that a row stands for: of a fold more than one."""
        fold = self._folds.get(row)
        line = self._lines_of_rows[row]
        return range(fold.start, fold.end) if fold else range(line, line + 1)

    # --- colours ---------------------------------------------------------------------------------------------------

    def _start_loading(self, language: str) -> None:
        """Load a lexer beside the first paint, which does not wait for it."""
        self.run_worker(lambda: self._load(language), thread=True, group="lexer", exit_on_error=False)

    def _load(self, language: str) -> None:
        self.app.call_from_thread(self._take_lexer, language, load_lexer(language))

    def _take_lexer(self, language: str, lexer: Lexer | None) -> None:
        self._lexers[language] = lexer
        if language == self._language:
            self._take_lines(self._source)
            self.refresh()

    def begin_drawing(self) -> None:
        super().begin_drawing()
        if self._highlighter is not None and not self._highlighter.lex_to(self._shown()[1]):
            self.set_timer(SLICE_SECONDS, self.refresh)

    # --- rows ------------------------------------------------------------------------------------------------------

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        if (fold := self._folds.get(line)) is not None:
            return (RoleSpan(0, len(fold.words), "muted"),)
        return self._highlighter.spans_of(self._lines_of_rows[line]) if self._highlighter else ()

    def gutter_of(self, line: int) -> Beside:
        here = self._lines_at(line)
        chosen = ">" if self._chosen is not None and self._chosen in here else " "
        memo = MEMO if any(number in here for number in self._memos) else ""
        number = str(here.start + 1).rjust(self._numbers) + memo
        if self._marks(line):
            return Beside(f"{chosen}▸{number}", "checkpoint")
        if self._is_marked(line):
            return Beside(f"{chosen}{VIOLATION}{number}", "verdict-bad")
        return Beside(f"{chosen} {number}", "memo" if memo else "gutter")

    def note_of(self, line: int) -> Beside | None:
        here = self._lines_at(line)
        memos = [text for number, text in sorted(self._memos.items()) if number in here]
        words = f"  ◂ {checkpoint_words(self._checkpoint)}" if self._checkpoint and self._marks(line) else ""
        marked = self._mark is not None and self._is_marked(line)
        if self._mark is not None and marked:
            words += f"  ◂ {visible_line(self._mark.words, _SHOWN_MEMO)}"
        if memos:
            return Beside(f"{words}  {MEMO} {'; '.join(memos)}", "memo", may_be_cut=True)
        return Beside(words, "verdict-bad" if marked else "checkpoint", may_be_cut=marked) if words else None

    def _marks(self, row: int) -> bool:
        return row not in self._folds and self._lines_of_rows[row] == self._checkpoint_line

    def _is_marked(self, row: int) -> bool:
        mark = self._mark
        return mark is not None and row not in self._folds and self._lines_of_rows[row] == mark.line - 1

    def _shown(self) -> tuple[int, int]:
        """Return the first and the last line of the program on the screen, counted from 0; (0, -1) for none."""
        first, last = self.visible_lines()
        if not last:
            return 0, -1
        fold = self._folds.get(last - 1)
        return self._lines_of_rows[first - 1], fold.end - 1 if fold else self._lines_of_rows[last - 1]

    @property
    def extent(self) -> str:
        """Say which lines are on the screen, and how many are folded."""
        folded = sum(fold.end - fold.start for fold in self._folds.values())
        told = f", {folded:,} folded" if folded else ""
        if not self.is_cut:
            return f"{self._count:,} lines{told}" if folded else ""
        first, last = self._shown()
        return f"{first + 1}-{last + 1} of {self._count} lines{told}"


def checkpoint_words(checkpoint: Checkpoint) -> str:
    """Return when a checkpoint is reached: `before iteration 6`, of a line that has run so often `after time 6`."""
    if checkpoint.when == "after-line" and checkpoint.iteration is not None:
        # "after line 6" would name another line.
        return f"after time {checkpoint.iteration}"
    nth = "" if checkpoint.iteration is None else f" {checkpoint.iteration}"
    return visible_line(checkpoint.when.replace("-", " ")) + nth
