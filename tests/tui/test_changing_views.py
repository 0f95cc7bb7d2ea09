"""Whatever is shown, hidden, resized and gone to: each pane shows all of the item on the screen and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import QueueWish, ReviewItem, ReviewSession, open_session
from auditor.tui.comparison import compare_item
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.widgets.line_view import LineView
from auditor.tui.wrapping import WrappedText, shown_lines
from tests.tui.conftest import audit_of
from tests.tui.driving import press, resize, reviewing, screen_of, settle, widget_text

SIZES = ((80, 24), (120, 40), (160, 50), (81, 24), (80, 12))
KEYS = ("r", "i", "R", "j", "k", "tab", "escape", "resize")
WALKS = [
    ((80, 24), ["r", "j", "r"]),
    ((80, 24), ["r", "r", "j", "r"]),
    ((80, 24), ["i", "j", "i", "r", "j"]),
    ((120, 40), ["r", "r", "j", "r", "j", "r"]),
    ((160, 50), ["r", "i", "j", "r"]),
    ((160, 50), ["i", "j", "i", "resize", "j", "resize", "k"]),
    *(
        (random.Random(seed).choice(SIZES), random.Random(seed).choices(KEYS, (3, 3, 1, 5, 2, 1, 1, 1), k=12))
        for seed in range(8)
    ),
]


@pytest.fixture(scope="module")
def audit_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return items whose texts have few and many, short and long lines by turns."""
    chance = random.Random(7)
    tasks: list[dict[str, object]] = []
    responses: list[dict[str, object]] = []
    for number, lines in enumerate((6, 1, 30, 1, 2, 60, 3)):
        texts = ["\n".join("x" * chance.choice((1, 9, 200)) + f" {number}.{line}" for line in range(lines))] * 4
        chance.shuffle(texts)
        names: dict[str, object] = {"study": "loops", "case": f"c{number}", "arm": "output"}
        source, given = texts[0], texts[1] if number % 3 else ""
        tasks.append(
            names | {"language": "python", "source": source, "input": given, "target": "output", "oracle": texts[2]}
        )
        reasoning = "thought\n" * (lines + 1) if number % 2 else None
        reply = {"setting": "simulated/off-by-one", "sample": 0, "response": texts[3], "reasoning": reasoning}
        responses.append(names | reply)
    return audit_of(tmp_path_factory.mktemp("lines"), tasks, responses)


@pytest.mark.parametrize(("size", "keys"), WALKS)
async def test_every_pane_shows_the_item_that_is_there(
    audit_file: Path, size: tuple[int, int], keys: Sequence[str]
) -> None:
    session = open_session(audit_file, "lm", QueueWish(where="", order="import"))
    try:
        async with reviewing(session, size) as pilot:
            sizes = random.Random(len(keys))
            for number, key in enumerate(keys):
                if key == "resize":
                    await resize(pilot, *sizes.choice(SIZES))
                else:
                    await press(pilot, key)
                _check_views(pilot, f"after {keys[: number + 1]}")
    finally:
        session.close()


async def test_no_item_lays_the_screen_out_anew(audit_file: Path) -> None:
    session = open_session(audit_file, "lm", QueueWish(where="", order="import"))
    try:
        async with reviewing(session) as pilot:
            screen = screen_of(pilot)
            screen.panes._show_scroll_bars()
            await settle(pilot)
            layouts: list[object] = []
            screen.screen_layout_refresh_signal.subscribe(screen, layouts.append)
            for number in range(1, len(session)):
                await press(pilot, "j")
                _check_views(pilot, f"at {number}")
            assert screen.index == len(session) - 1 and layouts == []
    finally:
        session.close()


def _check_views(pilot: Pilot[int], when: str) -> None:
    screen = screen_of(pilot)
    views = screen.panes.views()
    assert views, when
    for view in views:
        lines = _lines_of(screen, view)
        wrapped = WrappedText(lines, view.text_width)
        top = view.scroll_offset.y
        rows = [wrapped.row(y) for y in range(top, min(wrapped.rows, top + view.size.height))]
        drawn = [row[view.gutter_width :] for row in widget_text(view)]
        expected = [lines[row.line][row.start : row.end].rstrip() for row in rows]
        assert [_without_note(row) for row in drawn[: len(rows)]] == expected, f"{view} {when}"
        assert not any(row.strip() for row in drawn[len(rows) :]), f"{view} {when}"
        assert view.virtual_size.height == wrapped.rows, f"{view} {when}"


def _lines_of(screen: ReviewScreen, view: LineView) -> list[str]:
    panes, item = screen.panes, screen.item
    assert item is not None
    if view is panes.comparison:
        return [line.text for line in compare_item(item, view.text_width).lines]
    alone = panes._alone if view is panes._over else None
    is_reply, is_input = panes.reply is view or alone == "reply", panes.input is view or alone == "input"
    return shown_lines(_text_of(is_reply, is_input, panes._reasoning, item))


def _text_of(is_reply: bool, is_input: bool, is_reasoning: bool, item: ReviewItem) -> str:
    if is_reply:
        return (item.response.reasoning if is_reasoning else item.response.text) or ""
    return (item.task.input or "(no input)") if is_input else item.task.source


def _without_note(row: str) -> str:
    """Drop the scroll bar at the right."""
    return row.rstrip(" ▁▂▃▄▅▆▇█│┃▐")


async def test_a_view_follows_its_size_though_nobody_tells_it(
    session: ReviewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reviewing(session, (80, 24)) as pilot:
        source = screen_of(pilot).panes.source
        followed: list[int] = []
        monkeypatch.setattr(source, "follow_size", lambda: followed.append(source.size.height))
        less = source.size - (0, 2)
        source._size_updated(less, source.virtual_size, less)
        await settle(pilot)
        assert followed
