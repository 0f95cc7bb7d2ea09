"""Implementations side by side on the screen: three sizes, along them, folds, from the strip, blind, empty, hostile."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from auditor.audit.grade import grade_file
from auditor.audit.implementations import Implementation
from auditor.audit.load import LoadOptions, load
from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.audit.subjects import add_subjects
from auditor.compare.program_sides import Part
from auditor.text import has_invisible
from auditor.tui.marked_lines import RoleSpan
from auditor.tui.screens import sides
from auditor.tui.screens.consistency import ConsistencyScreen
from auditor.tui.screens.sides import SidesScreen
from auditor.tui.side_rows import SideLayout, SideTexts, overlaid, part_spans, side_entries, side_texts, stretches
from auditor.tui.wrapping import shown_lines
from tests.runs import response, task, write_run
from tests.tui.core_audit import core_audit, hostile_core_audit
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text

SIZES = [(80, 24), (120, 40), (160, 50)]
Compare = Callable[[str, str], None]
SIDES = "underscore"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = core_audit(tmp_path_factory.mktemp("core"))
    add_subjects(path)
    return path


@pytest.fixture
def audit(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path / "core.db"))


@pytest.fixture
def core_session(audit: Path) -> Iterator[ReviewSession]:
    wish = QueueWish(where="setting:hasty sample:0 implementation:loops", order="import")
    with closing(open_session(audit, "lm", wish)) as opened:
        yield opened


def row_with(pilot: Pilot[int], words: str) -> str:
    return next((line for line in screen_text(pilot).splitlines() if words in line), "")


async def test_three_sizes_and_back(core_session: ReviewSession, compare_screen: Compare) -> None:
    async with reviewing(core_session, SIZES[0]) as pilot:
        await press(pilot, "j", "j", SIDES)
        for size in SIZES:
            await resize(pilot, *size)
            compare_screen(f"sides-{size[0]}x{size[1]}", screen_text(pilot))
        for size in ((30, 8), (100, 24)):
            await resize(pilot, *size)
            shown = screen_text(pilot).splitlines()
            assert len(shown) == size[1] and all(len(line) <= size[0] for line in shown)
        await press(pilot, "ctrl+c")
        assert "Esc goes back." in screen_text(pilot)
        await press(pilot, "escape")
        assert screen_of(pilot).item is not None


async def test_along_the_implementations_and_enter_reviews_the_same_test(core_session: ReviewSession) -> None:
    async with reviewing(core_session) as pilot:
        await press(pilot, "j", "j", SIDES)
        assert "1 of 2, nearest first" in screen_text(pilot) and "> while-index" in screen_text(pilot)
        assert "outputs: 3 right, 1 wrong · t03: ✗ wrong" in screen_text(pilot)
        await press(pilot, "j")
        assert "2 of 2, nearest first" in screen_text(pilot) and "> functional" in screen_text(pilot)
        await press(pilot, "j", "k", "k", "enter")
        shown = screen_of(pilot).item
        assert shown is not None and shown.key.case == "longest-run/while-index/t03"
        assert "outside the queue" in screen_text(pilot)
        await press(pilot, SIDES, SIDES)
        assert screen_of(pilot).item == shown


async def test_from_a_mark_of_the_consistency_with_its_setting(core_session: ReviewSession) -> None:
    async with reviewing(core_session) as pilot:
        await press(pilot, "j", "j", "colon", "down", "down", "shift+tab", SIDES)
        shown = screen_text(pilot)
        assert "careful · sample 0" in shown and "2 of 2, nearest first" in shown and "> functional" in shown
        assert "outputs: 4 right · t03: ✓ right" in shown
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ConsistencyScreen)
        await press(pilot, "end", SIDES)
        assert "1 of 2, nearest first" in screen_text(pilot)
        await press(pilot, "enter")
        item = screen_of(pilot).item
        assert item is not None and (item.key.case, item.key.setting) == ("longest-run/while-index/t03", "careful")


async def test_a_blind_review_sees_programs_only(audit: Path) -> None:
    with closing(open_session(audit, "blind", QueueWish(where="target:output", blind=True))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, SIDES)
            shown = screen_text(pilot)
            assert isinstance(pilot.app.screen, SidesScreen) and "Jaccard 0." in shown
            assert "A blind review shows no styles, measures and answers." in shown
            assert not any(word in shown for word in ("right", "wrong", "hasty", "careful", "sample", "style "))
            await press(pilot, "enter")
            assert "A blind review does not go to an item of the same setting" in screen_text(pilot)
    with closing(
        open_session(audit, "blind", QueueWish(where="target:subject study:core-implementations", blind=True))
    ) as session:
        async with reviewing(session) as pilot:
            first = screen_of(pilot).item
            await press(pilot, SIDES, "enter")
            item = screen_of(pilot).item
            assert first is not None and item is not None and item.key.case != first.key.case


async def test_subjects_are_compared_without_answers(audit: Path) -> None:
    wish = QueueWish(where="target:subject study:core-implementations", order="import")
    with closing(open_session(audit, "lm", wish)) as session:
        async with reviewing(session) as pilot:
            await press(pilot, SIDES)
            assert "Nobody was asked about these" in screen_text(pilot) and "< loops (this item)" in screen_text(pilot)
            await press(pilot, "j", "enter")
            item = screen_of(pilot).item
            assert item is not None and item.key.case == "longest-run/functional"


def made(folder: Path, sources: dict[str, str]) -> Path:
    tasks = [
        task(name, oracle="1", problem="p", implementation=name, test="t", source=source)
        for name, source in sources.items()
    ]
    study = 'cluster = "problem"\npolicy = "python-literal"\nenvelope = "none"\ncodebook = "execution"'
    replies = [response(name, "output", response="1") for name in sources]
    load(folder / "a.db", [write_run(folder / "run", tasks, replies, studies={"s": study})], LoadOptions())
    grade_file(folder / "a.db")
    return folder / "a.db"


async def test_nothing_to_compare_with(tmp_path: Path) -> None:
    with closing(
        open_session(made(tmp_path, {"only": "x = 1\n"}), "lm", QueueWish(where="", order="import"))
    ) as session:
        async with reviewing(session) as pilot:
            await press(pilot, SIDES)
            said = "The problem p has only this implementation in the file."
            assert said in screen_text(pilot) and "its only one" in screen_text(pilot)
            for key in ("enter", "j", "right_square_bracket", "h"):
                await press(pilot, key)
                assert said in screen_text(pilot)
            await press(pilot, "w")
            assert "Each line is one row" in screen_text(pilot)


async def test_an_item_of_no_problem_says_so(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, SIDES)
        assert "This item is about no problem with implementations." in screen_text(pilot)


LONG = "".join(f"value{number} = {number}\n" for number in range(60))


async def test_long_equal_stretches_fold_and_differences_are_gone_to(tmp_path: Path) -> None:
    other = LONG.replace("value3 = 3\n", "value3 = 300\n").replace("value50 = 50\n", "")
    audit = made(tmp_path, {"one": LONG, "other": other, "same": LONG})
    with closing(open_session(audit, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (120, 24)) as pilot:
            await press(pilot, SIDES)
            shown = screen_text(pilot)
            assert "all equal" in shown and "> same" in shown and "1-17 of 60" in shown
            await press(pilot, "right_square_bracket")
            assert "No lines of these implementations are unlike." in screen_text(pilot)
            await press(pilot, "h")
            assert "There is no long stretch of equal lines to fold." in screen_text(pilot)
            await press(pilot, "j", "home")
            assert "⋯ 40 equal lines: 8-47" in screen_text(pilot) and "≠ 1 of 2" in screen_text(pilot)
            assert row_with(pilot, "▸≠").split() == ["4", "value3", "=", "3", "▸≠", "4", "value3", "=", "300"]
            await press(pilot, "right_square_bracket")
            assert "≠ 2 of 2" in screen_text(pilot) and row_with(pilot, "▸<").split() == [
                "51",
                "value50",
                "=",
                "50",
                "▸<",
            ]
            await press(pilot, "left_square_bracket", "left_square_bracket", "h")
            assert "All lines are shown." in screen_text(pilot) and "of 60" in screen_text(pilot)
            await press(pilot, "h", "end")
            assert "⋯ 40 equal lines" in screen_text(pilot) or "60 value59" in screen_text(pilot)


async def test_lines_wrap_or_scroll_together(tmp_path: Path) -> None:
    line = "total = " + " + ".join(f"part{number}" for number in range(20)) + "\n"
    audit = made(tmp_path, {"one": f"x = 1\n{line}", "other": f"y = 1\n{line.replace('part19', '漢字')}"})
    with closing(open_session(audit, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (110, 24)) as pilot:
            await press(pilot, SIDES)
            assert "Renamed: x → y." in screen_text(pilot) and row_with(pilot, " ≈ ").split() == [
                *("1", "x", "=", "1", "≈", "1", "y", "=", "1"),
            ]
            assert len([one for one in screen_text(pilot).splitlines() if "┊" in one]) == 3
            await press(pilot, "w")
            assert "columns 1-" in screen_text(pilot) and "┊" not in screen_text(pilot)
            await press(pilot, *["ctrl+right"] * 4)
            assert "part19" in screen_text(pilot) and "漢字" in screen_text(pilot)
            await press(pilot, "home")
            assert "2 total = part0" in screen_text(pilot)


async def test_a_program_of_thousands_of_lines(tmp_path: Path) -> None:
    long = "".join(f"value{number} = f({number})\n" for number in range(3_000))
    audit = made(tmp_path, {"one": long, "other": long.replace("f(2000)", "g(2000)")})
    with closing(open_session(audit, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (120, 24)) as pilot:
            await press(pilot, SIDES)
            assert "2,999 =, 1 ≠" in screen_text(pilot)
            assert row_with(pilot, "value2000 =").split()[:4] == ["2001", "value2000", "=", "f(2000)"]
            await press(pilot, "h", "end")
            assert "3000 value2999" in screen_text(pilot)


async def test_keys_do_not_wait_for_a_long_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = made(tmp_path, {name: f"{LONG}x = {number}\n" for number, name in enumerate(("one", "b", "c", "d"))})
    compared, opened = [], threading.Event()

    def held(own: Implementation, other: Implementation) -> SideTexts:
        compared.append(other.name)
        assert opened.wait(20)
        return side_texts(own, other)

    monkeypatch.setattr(sides, "side_texts", held)
    with closing(open_session(audit, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (120, 24)) as pilot, asyncio.timeout(20):
            typing = asyncio.create_task(press(pilot, SIDES, "j", "j", "right_square_bracket"))
            while "still being compared" not in screen_text(pilot):
                await asyncio.sleep(0.005)
            assert "3 of 3" in screen_text(pilot) and "comparing …" in screen_text(pilot)
            opened.set()
            await typing
            assert compared == ["b", "d"] and "> d" in screen_text(pilot) and "60 =, 1 ≠" in screen_text(pilot)


async def test_hostile_texts_are_shown_literally(tmp_path: Path) -> None:
    audit = hostile_core_audit(tmp_path)
    with closing(open_session(audit, "lm", QueueWish(where="target:output", order="import"))) as session:
        async with reviewing(session, (120, 24)) as pilot:
            await press(pilot, SIDES)
            screen = pilot.app.screen
            assert isinstance(screen, SidesScreen)
            for step in range(len(screen._found.others)):
                await press(pilot, "j")
                assert not has_invisible(screen_text(pilot).replace("\n", ""))
                if step == 25:
                    await resize(pilot, 80, 24)
            await press(pilot, "w", "h", "w")
            assert not has_invisible(screen_text(pilot).replace("\n", ""))


# --- values ----------------------------------------------------------------------------------------------------------

SPANS = st.lists(st.integers(0, 30), max_size=12).map(
    lambda ends: [RoleSpan(a, b, "x") for a, b in zip(*[iter(sorted(set(ends)))] * 2, strict=False)]
)


@given(SPANS, SPANS)
def test_spans_laid_over_others_cover_the_same_characters_once(under: list[RoleSpan], over: list[RoleSpan]) -> None:
    over = [span._replace(role="over") for span in over]
    found = overlaid(under, over)
    assert [span[:2] for span in found] == sorted(span[:2] for span in found)
    shown = [(at, span.role) for span in found for at in range(*span[:2])]
    assert len(shown) == len(dict(shown))
    assert dict(shown) == {at: span.role for span in (*under, *over) for at in range(*span[:2])}


@given(st.text(st.sampled_from("ab\t\x00漢\u00a0"), min_size=1, max_size=12), st.data())
def test_parts_are_marked_where_they_are_seen(raw: str, data: st.DataObject) -> None:
    places = st.lists(st.integers(0, len(raw)), unique=True, max_size=6).map(sorted)
    ends = data.draw(places.filter(lambda ends: len(ends) % 2 == 0))
    parts = [Part(start, end, start % 2 == 0) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    (shown,) = shown_lines(raw)
    found = part_spans(raw, shown, parts)
    assert [span.role for span in found] == ["renamed" if part.renamed else "unlike" for part in parts]
    for span, part in zip(found, parts, strict=True):
        assert (span.start, span.end) == tuple(len(shown_lines(raw[:end])[0]) for end in part[:2])


async def test_a_long_line_of_many_differences_is_drawn(tmp_path: Path) -> None:
    line = "".join(f"\tf({number},\x00)" for number in range(1_200))
    audit = made(tmp_path, {"one": line, "other": line.replace(",\x00", " +\x00")})
    with closing(open_session(audit, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (120, 40)) as pilot:
            await press(pilot, SIDES)
            assert "1 ≠" in screen_text(pilot) and "f(0,␀)" in screen_text(pilot)
            await press(pilot, "end")
            assert "1199" in screen_text(pilot) and "+␀" in screen_text(pilot)


PROGRAM = st.lists(st.sampled_from(["a = 1", "bb = a + 2 * f(a)", "", "x" * 30, "漢字 = 1"]), max_size=12).map(
    "\n".join
)


@given(PROGRAM, PROGRAM, st.integers(2, 20), st.booleans(), st.booleans(), st.booleans())
def test_every_line_is_in_the_rows_once(
    left: str, right: str, width: int, wraps: bool, columns: bool, folded: bool
) -> None:
    texts = side_texts(Implementation("a", "python", left), Implementation("b", "python", right))
    entries = side_entries(texts.compared.sides.rows, columns=columns, folded=folded)
    layout = SideLayout(texts, entries, (width, width), wraps=wraps)
    shown: tuple[list[str], list[str]] = ([], [])
    for y in range(layout.rows):
        at, nth = layout.entry_at(y)
        entry = entries[at]
        assert layout.row_of(at) + nth == y
        for side, line in ((0, entry.left), (1, entry.right)):
            if entry.kind == "fold":
                assert line is not None
                shown[side].extend(texts.sides[side].shown[line : line + entry.folded])
            elif (part := layout.part_of_line(side, line, nth)) is not None:
                text = texts.sides[side].shown[part.line][part.start : part.end]
                shown[side].append(text) if nth == 0 else shown[side].append(shown[side].pop() + text)
    assert list(texts.sides[0].shown) == shown[0] and list(texts.sides[1].shown) == shown[1]
    unlike = {at for one in stretches(entries) for at in one}
    assert unlike == {at for at, entry in enumerate(entries) if entry.kind not in ("equal", "alike", "fold")}
