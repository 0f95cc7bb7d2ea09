"""A pane's title says what is most needed first: its name, which sample it is, how much there is, then the rest."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.widget import Widget

from auditor.tui.themes import theme_variable_defaults
from auditor.tui.widgets.pane import PaneTitle
from auditor.tui.widgets.text_view import TextView
from tests.hostile import HOSTILE
from tests.tui.driving import widget_text


class _Titles(App[None]):
    def __init__(self, *titles: Widget) -> None:
        super().__init__()
        self._titles = titles

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theme_variable_defaults(dark=True)

    def compose(self) -> ComposeResult:
        yield from self._titles


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (80, "─ Reply ── codellama-34b+cot_temp0.2 · sample 12 ─────────────────── 21 characters ─"),
        (60, "─ Reply ── codellama-34b+cot_te… · sample 12 ── 21 characters ─"),
        (40, "─ Reply ── sample 12 ── 21 characters ─"),
        (30, "─ Reply ── codel… · sample 12 ─"),
        (22, "─ Reply ── sample 12 ─"),
    ],
)
async def test_the_sample_stays_and_the_name_of_the_setting_is_cut(width: int, expected: str) -> None:
    title = PaneTitle("Reply")
    title.show(detail="codellama-34b+cot_temp0.2", kept="sample 12", extent="21 characters")
    async with _Titles(title).run_test(size=(width, 3)):
        (shown,) = widget_text(title)
        assert "sample 12" in shown
        assert shown.replace("─", "").split() == expected.replace("─", "").split()


async def test_hostile_names_end_in_the_sample() -> None:
    titles = [PaneTitle("Reply") for _ in HOSTILE]
    for title, text in zip(titles, HOSTILE.values(), strict=True):
        title.show(detail=text, kept="sample 3")
    async with _Titles(*titles).run_test(size=(60, 100)):
        assert all("sample 3" in widget_text(title)[0] for title in titles)


async def test_one_character_is_one_character() -> None:
    view = TextView()
    async with _Titles(view).run_test(size=(60, 3)):
        view.show_text("7")
        assert view.extent == "1 character"
