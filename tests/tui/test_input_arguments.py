"""The input of a call has its arguments by name below the exact text; other inputs are as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditor.audit.review import QueueWish, open_session
from tests.tui.conftest import audit_of
from tests.tui.driving import press, reviewing, screen_of, widget_text

NAMES: dict[str, object] = {"study": "loops", "arm": "output", "language": "python", "target": "output", "oracle": "3"}
CALL = NAMES | {"case": "a", "source": "def f(text, occ=1):\n    return 3\n", "input": "'zjeg\\tiymjc\x1b', 2"}
OTHER = NAMES | {"case": "b", "source": "print(3)\n", "input": "'zjegiymjc', 2"}


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_arguments_stand_by_name_below_the_exact_input(tmp_path: Path, size: tuple[int, int]) -> None:
    replies: list[dict[str, object]] = [
        {"study": "loops", "arm": "output", "case": case, "setting": "s", "sample": 0, "response": '{"output": "4"}'}
        for case in "ab"
    ]
    session = open_session(audit_of(tmp_path, [CALL, OTHER], replies), "lm", QueueWish(order="import"))
    try:
        async with reviewing(session, size) as pilot:
            await press(pilot, "i")
            view = screen_of(pilot).panes.views()[0]
            rows = [row.strip() for row in widget_text(view) if row.strip(" │█▁")]
            assert rows == ["'zjeg\\tiymjc␛', 2", "~ text = 'zjeg\\tiymjc␛'", "~ occ  = 2"]
            assert view.extent == "17 characters"
            await press(pilot, "j")
            view = screen_of(pilot).panes.views()[0]
            assert [row.strip() for row in widget_text(view) if row.strip(" │█▁")] == ["'zjegiymjc', 2"]
    finally:
        session.close()
