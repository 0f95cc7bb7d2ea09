"""How columns share a width: for any needs and any room."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from auditor.tui.column_widths import ColumnNeed, WidestSeen, share_width

NEEDS = st.lists(
    st.builds(ColumnNeed, st.integers(0, 90), st.integers(0, 12), st.integers(1, 5), st.integers(0, 2)),
    max_size=9,
)
ROOM, GAP = st.integers(0, 200), st.integers(0, 3)


@given(NEEDS, ROOM, GAP)
def test_no_column_has_more_than_it_wants_or_less_than_it_needs_and_no_room_is_wasted(
    needs: list[ColumnNeed], room: int, gap: int
) -> None:
    cells = share_width(needs, room, gap)
    shown = [(need, width) for need, width in zip(needs, cells, strict=True) if width is not None]
    assert all(min(need.least, need.wanted) <= width <= need.wanted for need, width in shown)
    used = sum(width for _, width in shown) + gap * max(0, len(shown) - 1)
    assert used <= room
    assert used == room or all(width == need.wanted for need, width in shown)


@given(NEEDS, ROOM, GAP)
def test_a_column_is_left_out_only_where_all_that_matter_more_leave_no_room(
    needs: list[ColumnNeed], room: int, gap: int
) -> None:
    cells = share_width(needs, room, gap)
    order = sorted(range(len(needs)), key=lambda at: (needs[at].rank, at))
    shown = [at for at in order if cells[at] is not None]
    assert shown == order[: len(shown)]
    if len(shown) < len(needs):
        one_more = order[: len(shown) + 1]
        assert sum(min(needs[at].least, needs[at].wanted) for at in one_more) + gap * len(shown) > room


@given(NEEDS, ROOM, GAP)
def test_more_room_makes_no_column_narrower_but_for_one_that_comes_back(
    needs: list[ColumnNeed], room: int, gap: int
) -> None:
    before, after = share_width(needs, room, gap), share_width(needs, room + 1, gap)
    if [width is None for width in before] == [width is None for width in after]:
        assert all(one is None or other is None or one <= other for one, other in zip(before, after, strict=True))


def test_an_empty_column_leaves_its_room_to_the_others_and_weights_count_where_there_is_too_little() -> None:
    name, tags, note = ColumnNeed(30, 8, 2), ColumnNeed(4, 8), ColumnNeed(60, 8, 1)
    assert share_width([name, tags, note], 98) == (30, 4, 60)
    assert share_width([name, tags, note], 53) == (30, 4, 15)
    assert share_width([name, tags, note], 20) == (14, 4, None)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 50)), max_size=20), st.integers(0, 20))
def test_what_was_seen_only_grows_and_says_whether_it_did(cells: list[tuple[str, int]], at: int) -> None:
    seen = WidestSeen()
    seen.see(cells[:at])
    before = {name: seen.of(name) for name in "abc"}
    changed = seen.see(cells[at:])
    after = {name: seen.of(name) for name in "abc"}
    assert after == {name: max((width for one, width in cells if one == name), default=0) for name in "abc"}
    assert changed == (before != after)
