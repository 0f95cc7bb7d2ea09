"""The difference that was gone to looks otherwise than the others, where two are in one row too."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, open_session
from tests.tui.conftest import audit_of
from tests.tui.driving import press, reviewing, screen_of


def reversed_texts(pilot: Pilot[int]) -> list[str]:
    """Return what the comparison shows in reverse, row by row."""
    view = screen_of(pilot).panes.comparison
    strips = [view.render_line(y) for y in range(view.size.height)]
    return [segment.text for strip in strips for segment in strip if segment.style and segment.style.reverse]


@pytest.mark.parametrize("no_color", ["", "1"])
async def test_going_to_a_difference_in_the_same_row_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_color: str
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    names: dict[str, object] = {"study": "loops", "case": "c", "arm": "output"}
    task = names | {"source": "x", "input": "", "target": "output", "oracle": "[1, 2, 3, 4]", "language": "python"}
    reply = names | {"setting": "s", "sample": 0, "response": '{"output": "[1,2,5,6]"}'}
    session = open_session(audit_of(tmp_path, [task], [reply]), "lm", QueueWish())
    try:
        async with reviewing(session) as pilot:
            view = screen_of(pilot).panes.comparison
            assert view.extent == "≠ 1 of 2"
            assert reversed_texts(pilot) == ["3", "5"]
            await press(pilot, "right_square_bracket")
            assert reversed_texts(pilot) == ["4", "6"]
            await press(pilot, "right_square_bracket")
            assert reversed_texts(pilot) == ["3", "5"]
    finally:
        session.close()
