"""The border between two panes: it stands still, and moves only where more of an item is shown then."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.audit.review import QueueWish, open_session
from auditor.tui.widgets.row_sharing import SHARES, Need, Share, choose_share
from tests.tui.conftest import audit_of
from tests.tui.driving import press, resize, reviewing, screen_of

USUAL = Share(3, 2)
PLENTY = 400


def _hidden(share: Share, rows: int, above: Need, below: Need) -> tuple[int, int]:
    upper = rows * share.above // (share.above + share.below)
    return max(0, above.rows - upper), max(0, below.rows - (rows - upper))


def test_what_fits_moves_nothing() -> None:
    for now in SHARES:
        upper = 40 * now.above // (now.above + now.below)
        assert choose_share(now, USUAL, 40, Need(upper, 4), Need(40 - upper, 4)) == now


def test_a_long_text_below_a_short_one_gets_its_rows_and_keeps_them() -> None:
    share = choose_share(USUAL, USUAL, 32, Need(8, 8), Need(60, 4))
    assert share == Share(1, 3)
    assert choose_share(share, USUAL, 32, Need(8, 8), Need(4, 4)) == share


def test_two_long_texts_leave_the_border_where_it_is() -> None:
    for now in SHARES:
        assert choose_share(now, USUAL, 32, Need(PLENTY, 4), Need(PLENTY, 4)) == now


@given(
    st.sampled_from(SHARES),
    st.integers(0, 90),
    st.builds(Need, st.integers(0, PLENTY), st.integers(1, 10)),
    st.builds(Need, st.integers(0, PLENTY), st.integers(1, 10)),
)
def test_a_border_moves_once_and_only_for_more_rows(now: Share, rows: int, above: Need, below: Need) -> None:
    then = choose_share(now, USUAL, rows, above, below)
    assert choose_share(then, USUAL, rows, above, below) == then
    if then != now:
        before, after = _hidden(now, rows, above, below), _hidden(then, rows, above, below)
        assert sum(after) <= sum(before) - 3
        assert not any(cut and not was_cut for cut, was_cut in zip(after, before, strict=True))
        upper = rows * then.above // (then.above + then.below)
        assert then == USUAL or (upper >= above.least and rows - upper >= below.least)


@pytest.fixture
def chains(tmp_path: Path) -> Path:
    """Return an audit of short programs whose replies have 40 lines each, and one of a long program."""
    tasks, responses = [], []
    for number in range(4):
        names: dict[str, object] = {"study": "loops", "case": f"c{number}", "arm": "output"}
        source = "\n".join(f"x{line} = {line}" for line in range(2 if number < 3 else 35))
        tasks.append(names | {"language": "python", "source": source, "input": "3", "target": "output", "oracle": "7"})
        steps = "".join(
            f"step {step} {letter}\n" for step, letter in zip(range(40), string.ascii_letters, strict=False)
        )
        reply = {"setting": "simulated/off-by-one", "response": steps + '{"output": "8"}'}
        responses.append(names | reply)
    return audit_of(tmp_path, tasks, responses)


async def test_a_long_reply_takes_the_rows_of_a_short_comparison(chains: Path) -> None:
    session = open_session(chains, "lm", QueueWish(where="", order="import"))
    try:
        async with reviewing(session, (120, 40)) as pilot:
            panes = screen_of(pilot).panes
            heights = panes.reply.size.height, panes.source.size.height
            assert panes.reply.size.height > panes.comparison.size.height
            await press(pilot, "j", "j")
            assert (panes.reply.size.height, panes.source.size.height) == heights
            await press(pilot, "j")
            assert panes.source.size.height > heights[1], "the long program takes the rows of the input"
            assert panes.reply.size.height == heights[0]
            await resize(pilot, 80, 24)
            await resize(pilot, 120, 40)
            assert panes.reply.size.height == heights[0]
    finally:
        session.close()


@pytest.mark.parametrize("size", [(80, 24), (160, 50)], ids=str)
async def test_a_long_program_takes_rows_of_what_is_below(chains: Path, size: tuple[int, int]) -> None:
    session = open_session(chains, "lm", QueueWish(where="", order="import"))
    try:
        async with reviewing(session, size) as pilot:
            panes = screen_of(pilot).panes
            before = panes.source.size.height
            await press(pilot, "k")
            assert panes.source.size.height >= before and panes.comparison.size.height >= 2
    finally:
        session.close()
