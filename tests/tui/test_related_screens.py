"""Arms side by side and a task under other settings: at three sizes, blind, empty, hostile, and the way back."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.related_items import Answer, RelatedItems
from auditor.audit.review import QueueWish, ReviewSession, open_session
from auditor.store.file import open_file, transaction
from auditor.text import has_invisible, visible_line
from auditor.tui.screens.arms import ArmsScreen
from auditor.tui.screens.other_settings import OtherSettingsScreen
from auditor.tui.widgets.answer_panel import AnswerPanel
from auditor.tui.widgets.arm_strip import ArmStrip
from tests.hostile import HOSTILE
from tests.tui.conftest import audit_of
from tests.tui.driving import go_to, press, resize, reviewing, screen_of, screen_text, settle, widget_text
from tests.tui.hostile_audit import hostile_audit

SIZES = [(80, 24), (120, 40), (160, 50)]
ARMS = ("short-trace-final", "long-trace-final", "inside-loop-state", "post-loop-state")
SETTINGS = ("lost-carry", "off-by-one", "stops-early")
SOURCE = "total = 0\nfor i in range(int(input())):\n    total += i * i\nprint(total, i)\n"
Compare = Callable[[str, str], None]


def _task(arm: str) -> dict[str, object]:
    task: dict[str, object] = {"study": "loops", "case": "squares", "arm": arm, "input": "40\n"}
    task |= {"language": "python", "source": SOURCE}
    if arm.endswith("final"):
        return task | {"target": "output", "oracle": "20540 39\n"}
    when = "before-iteration" if arm.startswith("inside") else "after-loop"
    checkpoint: dict[str, object] = {"line": 3, "when": when, "fields": ["total", "i"], "clean_line": 2}
    if when == "before-iteration":
        checkpoint["iteration"] = 7
    return task | {"target": "state", "oracle": '{"total": 55, "i": 6}', "checkpoint": checkpoint}


def _reply(arm: str, setting: str) -> dict[str, object]:
    reply = {"study": "loops", "case": "squares", "arm": arm, "setting": setting, "sample": 0, "reasoning": "Adding."}
    answer = "20440 39\n" if setting == "lost-carry" else "20540 39\n"
    if arm.endswith("state"):
        answer = '{"total": 55, "j": 6}' if setting == "off-by-one" else '{"total": 45, "i": 6}'
    if setting == "stops-early":
        return reply | {"response": None, "error": "timeout after 60 s"}
    return reply | {"response": json.dumps({"output": answer})}


@pytest.fixture(scope="module")
def related_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four arms under three settings; the last arm has no response under the last setting. One task stands alone."""
    tasks = [_task(arm) for arm in ARMS]
    alone = _task("output") | {"case": "alone", "target": "output", "oracle": "1\n"}
    replies = [_reply(arm, setting) for setting in SETTINGS for arm in ARMS][:-1]
    single = _reply("output", "lost-carry") | {"case": "alone"}
    return audit_of(tmp_path_factory.mktemp("related"), [*tasks, alone], [*replies, single])


@pytest.fixture
def related_file(related_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(related_template, tmp_path / "arms.db"))


@pytest.fixture
def related_session(related_file: Path) -> Iterator[ReviewSession]:
    opened = open_session(related_file, "lm", QueueWish(where="", order="import"))
    yield opened
    opened.close()


def arms_of(pilot: Pilot[int]) -> ArmsScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ArmsScreen)
    return screen


def settings_of(pilot: Pilot[int]) -> OtherSettingsScreen:
    screen = pilot.app.screen
    assert isinstance(screen, OtherSettingsScreen)
    return screen


def shown_panels(pilot: Pilot[int]) -> list[AnswerPanel]:
    return [panel for panel in pilot.app.screen.query(AnswerPanel) if panel.region.area]


def size_id(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


# --- arms ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=size_id)
async def test_the_arms(related_session: ReviewSession, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with reviewing(related_session, size) as pilot:
        await go_to(pilot, "squares", "long-trace-final")
        await press(pilot, "a")
        compare_screen(f"arms-{size_id(size)}", screen_text(pilot))


@pytest.mark.parametrize(
    ("size", "panels"), list(zip(SIZES, (1, 2, 4), strict=True)), ids=["80x24", "120x40", "160x50"]
)
async def test_every_arm_is_reached_where_there_is_no_room_for_all(
    related_session: ReviewSession, size: tuple[int, int], panels: int
) -> None:
    async with reviewing(related_session, size) as pilot:
        await press(pilot, "a")
        chosen = []
        for key in ("j", "right", "tab", "down"):
            assert len(shown_panels(pilot)) == panels
            item = arms_of(pilot).panel.item
            assert item is not None
            chosen.append(item.key.arm)
            await press(pilot, key)
        assert chosen == list(ARMS)
        assert arms_of(pilot).panel.item is not None and "▸ short-trace-final" in screen_text(pilot)
        await press(pilot, "k")
        assert "▸ post-loop-state" in screen_text(pilot)


async def test_a_key_beside_a_new_size_finds_the_arms_filled(
    related_session: ReviewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def is_idle_at_once(*given: float) -> None:
        await asyncio.sleep(0)

    # So it is where other programs have all of the processor.
    monkeypatch.setattr("textual.pilot.wait_for_idle", is_idle_at_once)
    async with reviewing(related_session, (160, 50)) as pilot:
        await press(pilot, "a")
        arms = arms_of(pilot)
        await asyncio.gather(arms._show_arms(), resize(pilot, 80, 24), arms._show_arms())
        assert len(shown_panels(pilot)) == 1 and arms.panel.item is not None
        await asyncio.gather(resize(pilot, 120, 40), press(pilot, "j"))
        assert len(shown_panels(pilot)) == 2 and all(panel.item is not None for panel in shown_panels(pilot))


async def test_enter_reviews_the_arm_s_item_at_its_place(related_session: ReviewSession) -> None:
    async with reviewing(related_session) as pilot:
        await press(pilot, "a", "j", "j", "enter")
        item = screen_of(pilot).item
        assert item is not None and item.key.arm == "inside-loop-state"
        assert item.index == screen_of(pilot).index == 2
        await press(pilot, "1", "space")
        assert related_session.item(2).review.tags == ("arithmetic",)


async def test_an_arm_outside_the_queue_is_shown_and_the_queue_goes_on(related_file: Path) -> None:
    wish = QueueWish(where="arm:short-trace-final", order="import")
    with closing(open_session(related_file, "lm", wish)) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "j", "a", "j", "enter")
            item = screen_of(pilot).item
            assert item is not None and (item.key.arm, item.index) == ("long-trace-final", -1)
            assert "outside the queue" in screen_text(pilot)
            await press(pilot, "j")
            assert (item := screen_of(pilot).item) is not None and item.index == 2


@pytest.mark.parametrize("key", ["a", "escape", "q"])
async def test_going_back_leaves_the_review_as_it_was(related_session: ReviewSession, key: str) -> None:
    async with reviewing(related_session) as pilot:
        before = screen_text(pilot)
        await press(pilot, "a", "j", key)
        assert screen_text(pilot) == before
        await press(pilot, "m", "j", "m" if key == "a" else key)
        assert screen_text(pilot) == before


async def test_typed_ahead_keys_act_in_their_order(related_session: ReviewSession) -> None:
    async with reviewing(related_session) as pilot:
        await press(pilot, "a", "j", "enter", "1", "m", "escape", "a", "a", "space")
        assert related_session.item(1).review.tags == ("arithmetic",)


async def test_an_arm_without_a_response_says_so_and_cannot_be_reviewed(related_session: ReviewSession) -> None:
    async with reviewing(related_session, (160, 50)) as pilot:
        for _ in range(8):
            await press(pilot, "j")
        await press(pilot, "a", "k")
        shown = screen_text(pilot)
        assert "▸ post-loop-state ─ - no response" in shown and "the file holds no response here" in shown
        for key in ("enter", "r", "p"):
            await press(pilot, key)
            assert "The file holds no response here." in screen_text(pilot)
        assert arms_of(pilot).panel.item is None


async def test_a_case_with_one_arm_says_so(related_session: ReviewSession) -> None:
    async with reviewing(related_session) as pilot:
        await go_to(pilot, "alone")
        await press(pilot, "a", "j")
        assert "its only arm" in screen_text(pilot) and "This case has only one arm:" in screen_text(pilot)
        await press(pilot, "escape", "m", "j")
        assert "This is the only answer to this task" in screen_text(pilot)


async def test_the_texts_of_an_arm_lie_over_the_panels(related_session: ReviewSession) -> None:
    async with reviewing(related_session) as pilot:
        await press(pilot, "a", "j", "r")
        assert '{"output": "20440 39\\n"}' in screen_text(pilot)
        await press(pilot, "R")
        assert "Adding." in screen_text(pilot)
        await press(pilot, "p")
        assert "No prompt was recorded with this task." in screen_text(pilot) and "Adding." in screen_text(pilot)
        await press(pilot, "escape")
        assert "Adding." not in screen_text(pilot) and "▸ long-trace-final" in screen_text(pilot)
        await press(pilot, "i", "j")
        assert "▸ inside-loop-state" in screen_text(pilot)


async def test_the_differences_of_the_chosen_arm_are_stepped_through(related_session: ReviewSession) -> None:
    async with reviewing(related_session) as pilot:
        await go_to(pilot, "squares", "inside-loop-state")
        for _ in range(4):
            await press(pilot, "j")
        await press(pilot, "a")
        assert "≠ 1 of 2" in screen_text(pilot)
        await press(pilot, "right_square_bracket")
        assert "≠ 2 of 2" in screen_text(pilot)
        await press(pilot, "j", "j", "right_square_bracket")
        assert "no difference" in screen_text(pilot)


async def test_a_changed_size_shows_as_many_arms_as_fit(related_session: ReviewSession) -> None:
    async with reviewing(related_session, (160, 50)) as pilot:
        await press(pilot, "a", "j")
        before = screen_text(pilot)
        for size, panels in (((80, 24), 1), ((120, 40), 2), ((99, 60), 1), ((160, 50), 4)):
            await resize(pilot, *size)
            assert len(shown_panels(pilot)) == panels, size
            assert "▸ long-trace-final" in screen_text(pilot)
        assert screen_text(pilot) == before


async def test_an_ungraded_file_shows_arms_and_answers_all_the_same(related_file: Path) -> None:
    with closing(open_file(related_file)) as connection, transaction(connection):
        connection.execute("DELETE FROM grades")
    with closing(open_session(related_file, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (160, 50)) as pilot:
            await press(pilot, "a")
            assert screen_text(pilot).count("? not graded") == 4
            await press(pilot, "escape", "m")
            assert screen_text(pilot).count("? not graded") == 4


# --- settings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=size_id)
async def test_the_settings(related_session: ReviewSession, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with reviewing(related_session, size) as pilot:
        await go_to(pilot, "squares", "post-loop-state")
        await press(pilot, "m", "j")
        compare_screen(f"settings-{size_id(size)}", screen_text(pilot))


async def test_going_along_the_settings_shows_each_comparison(related_session: ReviewSession) -> None:
    async with reviewing(related_session) as pilot:
        await press(pilot, "m")
        seen = []
        for key in ("j", "j", "home", "end", "pageup", "pagedown", "k", "enter"):
            item = settings_of(pilot).panel.item
            assert item is not None
            seen.append(item.key.setting)
            await press(pilot, key)
        carry, off, early = SETTINGS
        assert seen == [carry, off, early, carry, early, carry, early, off]
        chosen = screen_of(pilot).item
        assert chosen is not None and chosen.key.setting == off and chosen.index == 4


async def test_answers_that_are_the_same_are_counted(related_session: ReviewSession, related_file: Path) -> None:
    with closing(open_file(related_file)) as connection, transaction(connection):
        connection.execute("UPDATE grades SET prediction = 'alike' WHERE response_id IN (SELECT id FROM responses)")
    async with reviewing(related_session) as pilot:
        await press(pilot, "m")
        shown = screen_text(pilot)
        count = len(SETTINGS)
        assert (
            shown.count(f"\N{MULTIPLICATION SIGN}{count}") == count
            and f"{count} of {count} answers are this one" in shown
        )


async def test_a_click_chooses_a_setting(related_session: ReviewSession) -> None:
    async with reviewing(related_session) as pilot:
        await press(pilot, "m")
        await pilot.click("AnswerList", offset=(10, 2))
        await press(pilot)
        item = settings_of(pilot).panel.item
        assert item is not None and item.key.setting == "stops-early"


async def test_only_the_rows_on_the_screen_are_read(
    related_session: ReviewSession, related_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_file(related_file)) as connection, transaction(connection):
        for sample in range(1, 1_000):
            connection.execute(
                "INSERT INTO responses (task_id, setting_id, sample, content_hash, reply)"
                " SELECT task_id, setting_id, ?, content_hash, reply FROM responses WHERE id = 1",
                (sample,),
            )
    read: list[int] = []
    async with reviewing(related_session) as pilot:
        answers = RelatedItems.answers

        def noted(related: RelatedItems, ids: Sequence[int]) -> list[Answer]:
            read.extend(ids)
            return answers(related, ids)

        monkeypatch.setattr(RelatedItems, "answers", noted)
        await press(pilot, "m", "end")
        assert "1,002 of 1,002" in screen_text(pilot)
        assert len(read) <= 64
        await press(pilot, *["k"] * 5)
        assert "997 of 1,002" in screen_text(pilot) and len(read) <= 64


# --- blind ---------------------------------------------------------------------------------------------------------


async def test_a_blind_review_refuses_both_until_the_item_is_revealed(related_file: Path) -> None:
    with closing(open_session(related_file, "lm", QueueWish(where="", blind=True))) as session:
        async with reviewing(session, (160, 50)) as pilot:
            assert "arms  hidden in this review" in screen_text(pilot)
            for key in ("a", "m"):
                await press(pilot, key)
                assert screen_of(pilot) and "reveal it first" in screen_text(pilot)
                assert not any(name in screen_text(pilot) for name in (*SETTINGS, "✗", "post-loop"))
            await press(pilot, "v", "v", "a")
            item = arms_of(pilot).panel.item
            assert item is not None and item.key.arm
            shown = screen_text(pilot)
            assert len(shown_panels(pilot)) == 1
            others = {*ARMS, "output"} - {item.key.arm}
            assert not any(other in shown for other in others)
            assert not any(setting in shown for setting in set(SETTINGS) - {item.key.setting})
            assert item.key.case == "alone" or "3 arms not revealed yet" in shown
            await press(pilot, "escape", "m")
            shown = screen_text(pilot)
            assert not any(setting in shown for setting in set(SETTINGS) - {item.key.setting})
            assert item.key.case == "alone" or "not revealed yet" in shown


# --- the strip -----------------------------------------------------------------------------------------------------


async def test_the_strip_names_the_arms_with_their_verdicts(related_session: ReviewSession) -> None:
    async with reviewing(related_session, (160, 50)) as pilot:
        await press(pilot, "j")
        (row,) = widget_text(pilot.app.screen.query_one(ArmStrip))
        assert row.split()[:7] == ["arms", "short-trace-final", "✗", "▸", "long-trace-final", "✗", "inside-loop-state"]
        await resize(pilot, 120, 40)
        assert not pilot.app.screen.query_one(ArmStrip).region.area


# --- hostile texts -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_audit(tmp_path_factory.mktemp("hostile"))


async def test_hostile_texts_are_shown_literally(hostile_file: Path) -> None:
    with closing(open_session(hostile_file, "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session, (160, 50)) as pilot:
            for number, text in list(enumerate(HOSTILE.values()))[::8]:
                assert not has_invisible(screen_text(pilot).replace("\n", ""))
                for key in ("a", "m"):
                    await press(pilot, key)
                    await settle(pilot)
                    shown = screen_text(pilot)
                    assert not has_invisible(shown.replace("\n", "")), text
                    assert visible_line(f"{number} {text}")[:20].rstrip() in shown
                    assert visible_line(text)[:12].rstrip() in shown
                    await press(pilot, "escape")
                await press(pilot, *["j"] * 8)


async def test_an_answer_of_megabytes_is_shown_from_its_first_difference_on(
    related_file: Path, related_session: ReviewSession
) -> None:
    text = "0123456789 " * 100_000
    with closing(open_file(related_file)) as connection, transaction(connection):
        connection.execute("UPDATE tasks SET oracle = ? WHERE id = 1", (text + "1",))
        connection.execute("UPDATE grades SET prediction = ? WHERE response_id IN (1, 5)", (text + "2",))
    async with reviewing(related_session, (160, 50)) as pilot:
        await press(pilot, "a")
        assert "≠ 1 of 1" in screen_text(pilot)
        await press(pilot, "escape", "m")
        assert "…" in screen_text(pilot) and "≠ 1 of 1" in screen_text(pilot)


@pytest.mark.parametrize("key", ["a", "m"])
async def test_lines_and_code_points_are_as_in_the_review(related_session: ReviewSession, key: str) -> None:
    async with reviewing(related_session) as pilot:
        await press(pilot, "w", key)
        assert not any(panel.comparison.wraps for panel in shown_panels(pilot))
        await press(pilot, "shift+right", "w")
        assert all(panel.comparison.wraps for panel in shown_panels(pilot))
        assert "Long lines are wrapped." in screen_text(pilot)
        await press(pilot, "shift+right")
        assert "Long lines are wrapped: w shows each line as one row." in screen_text(pilot)
        await press(pilot, "number_sign")
        assert "U+0035   DIGIT FIVE" in screen_text(pilot) and "U+0034   DIGIT FOUR" in screen_text(pilot)
        await press(pilot, "number_sign", "escape")
        assert screen_of(pilot).index == 0
