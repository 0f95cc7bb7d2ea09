"""Code points over the review: each character around a difference by number and name, oracle against prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from auditor.tui.actions import Action
from auditor.tui.marked_lines import MarkedLine, RoleSpan
from auditor.tui.point_lines import ComparedTexts, PointLines, point_lines
from auditor.tui.screens.page import PageScreen
from auditor.tui.widgets.line_view import Beside, LineView
from auditor.tui.widgets.pane import Pane

TextsAt = Callable[[int], "ComparedTexts | None"]
"""Goes so many differences on and returns what is compared there."""


class PointView(LineView):
    """The code points of one difference, laid out for the width of the view."""

    def __init__(self, texts: ComparedTexts | None) -> None:
        super().__init__()
        self.gutter_width = 3
        self._texts = texts
        self._shown = PointLines((), 0)

    def show_texts(self, texts: ComparedTexts | None) -> None:
        """Show another difference."""
        self._texts = texts
        self.show_lines(())

    def _wrap(self, lines: Sequence[str]) -> None:
        if self.text_width > 0:
            self._shown = _LACKING if self._texts is None else point_lines(self._texts, self.text_width)
            lines = [line.text for line in self._shown.lines]
        super()._wrap(lines)

    def opening_row(self) -> int:
        height = self.scrollable_content_region.height
        return self._wrapped.row_at(self._shown.opens_at, 0) - max(1, height // 3) if self.lines else 0

    def spans_of(self, line: int) -> Sequence[RoleSpan]:
        return self._shown.lines[line].spans

    def gutter_of(self, line: int) -> Beside:
        shown = self._shown.lines[line]
        return Beside(f" {shown.mark}", shown.mark_role)


_LACKING = PointLines((MarkedLine("There is no difference here."),), 0)

_DOES = {
    "look.code_points": "close",
    "program.quit": "close",
    "note.leave": "close",
    "arms.close": "close",
    "settings.close": "close",
    "difference.next": "step(1)",
    "difference.previous": "step(-1)",
}
"""What the keys of an action do while the code points are shown, beside those that scroll every page."""


class CodePointScreen(PageScreen):
    """Shows one difference, and goes to others."""

    DEFAULT_CSS = """
    CodePointScreen > Pane { max-width: 140; }
    """

    def __init__(self, actions: Sequence[Action], texts_at: TextsAt, where: Callable[[], str]) -> None:
        """`where` says which difference it is: `≠ 1 of 7`."""
        self._texts_at = texts_at
        self._where = where
        self._view = PointView(texts_at(0))
        super().__init__(Pane("Code points", self._view, id="code-points"), self._view, actions, _DOES)
        steps = [action.shown_key for action in actions if action.method == "step_difference" and action.keys]
        self._help = " · ".join([*([f"{' '.join(reversed(steps))} other differences"] if steps else []), "Esc closes"])

    def on_mount(self) -> None:
        super().on_mount()
        self._show_title()

    def _show_title(self) -> None:
        self._pane.title.show(detail=f"{self._where()} · {self._help}")

    def action_step(self, by: int) -> None:
        """Go to another difference."""
        self._view.show_texts(self._texts_at(by))
        self._show_title()
