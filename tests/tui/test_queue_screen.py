"""The queue screen: filters, orders, ranges, columns, and that leaving it leaves the review as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from auditor.audit.load import LoadOptions, load
from auditor.audit.queue_table import DEFAULT_COLUMNS, save_filter
from auditor.audit.review import QueueWish, ReviewSession, ReviewState, open_session
from auditor.configuration.settings import Settings
from auditor.errors import InputError
from auditor.store.file import open_for_reading
from auditor.store.replay import replay_differences
from auditor.text import has_invisible, visible_line, visible_name
from auditor.tui.screens.queue import QueueScreen
from auditor.tui.setup import Setup
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.runs import response, task, write_run
from tests.tui.driving import press, reviewing, screen_of, screen_text, settle
from tests.tui.hostile_audit import hostile_audit

SIZES = [(80, 24), (120, 40), (160, 50)]
Compare = Callable[[str, str], None]


def queue_of(pilot: Pilot[int]) -> QueueScreen:
    screen = pilot.app.screen
    assert isinstance(screen, QueueScreen)
    return screen


async def write(pilot: Pilot[int], text: str) -> None:
    """Replace what is in the open field."""
    editor = queue_of(pilot)._asking.editor
    assert editor is not None
    editor.load_text(text)
    editor.move_cursor(editor.document.end)
    await settle(pilot)


async def filter_by(pilot: Pilot[int], text: str) -> None:
    await press(pilot, "slash")
    await write(pilot, text)
    await press(pilot, "enter")
    assert queue_of(pilot).session.queue.wait_for_rows(1_000_000, 20)
    await settle(pilot)


def states(session: ReviewSession) -> list[ReviewState]:
    return [row.state for row in session.rows(0, len(session))]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_queue(session: ReviewSession, compare_screen: Compare, size: tuple[int, int]) -> None:
    async with reviewing(session, size) as pilot:
        await press(pilot, "1", "j", "s", "o")
        compare_screen(f"queue-{size[0]}x{size[1]}", screen_text(pilot))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_range_and_the_filter_field(
    session: ReviewSession, compare_screen: Compare, size: tuple[int, int]
) -> None:
    async with reviewing(session, size) as pilot:
        await press(pilot, "o", "home", "J", "J", "slash")
        await write(pilot, "status:")
        compare_screen(f"queue-filter-{size[0]}x{size[1]}", screen_text(pilot))


async def test_leaving_gives_the_review_its_queue_and_item_back(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "j", "j")
        before = screen_text(pilot)
        await press(pilot, "o")
        await filter_by(pilot, "arm:output")
        assert len(session) == 4
        await press(pilot, "escape")
        assert screen_of(pilot) and len(session) == 6
        assert "The queue is the one of before again: everything · import." in screen_text(pilot)
        await press(pilot, "k", "j")
        assert screen_text(pilot) == before


async def test_enter_reviews_from_here_in_the_filter_and_order(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o")
        await filter_by(pilot, "arm:output")
        await press(pilot, "end", "enter")
        screen = screen_of(pilot)
        assert screen.index == 3 and len(session) == 4
        assert screen.item is not None and screen.item.key.arm == "output"
        assert "4 of 4" in screen_text(pilot) and "arm:output" in screen_text(pilot)


async def test_a_range_is_deferred_and_undone_as_one(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "home", "J", "J", "s")
        assert states(session).count(ReviewState.DEFERRED) == 3
        assert "deferred 3 items" in screen_text(pilot) and "» 3" in screen_text(pilot)
        await press(pilot, "u")
        assert states(session).count(ReviewState.DEFERRED) == 0
        assert "undone: deferred 3 items" in screen_text(pilot)
        await press(pilot, "U")
        assert states(session).count(ReviewState.DEFERRED) == 3
        with closing(open_for_reading(session.path)) as connection:
            assert replay_differences(connection) == []


async def test_a_tag_key_puts_the_tag_on_all_of_a_range_or_takes_it_off_all(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "home", "1", "J", "J", "1")
        assert [len(row.tags) for row in session.rows(0, 4)] == [1, 1, 1, 0]
        await press(pilot, "1")
        assert [len(row.tags) for row in session.rows(0, 4)] == [0, 0, 0, 0]
        await press(pilot, "u", "u")
        assert [len(row.tags) for row in session.rows(0, 4)] == [1, 0, 0, 0]


async def test_equal_answers_to_a_task_are_tagged_in_one_act(tmp_path: Path) -> None:
    settings = ("a", "b", "c", "d")
    replies: dict[tuple[int, str, str], str | None] = {(0, "output", "b"): "other", (1, "output", "d"): "right"}
    path = make_audit(tmp_path / "same.db", cases=2, arms=("output",), settings=settings, replies=replies)
    with closing(open_session(path, "ana", QueueWish("status:wrong", "import"))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "o", "home", "ctrl+g")
            assert "3 items have this answer: a tag's key marks all of them; ctrl+g" in screen_text(pilot)
            assert len(session) == 3
            await press(pilot, "1", "ctrl+g")
            assert len(session) == 7
            assert [len(row.tags) for row in session.rows(0, 7)] == [1, 0, 1, 1, 0, 0, 0]
            await press(pilot, "u")
            assert not any(row.tags for row in session.rows(0, 7))
            await press(pilot, "home", "j", "ctrl+g")
            assert "No other item of this queue has the same answer to this task." in screen_text(pilot)
            await press(pilot, "end", "ctrl+g")
            assert len(session) == 3, "the right answer is not in this queue"


async def test_a_range_is_reviewed_and_undone_as_one(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "home", "2", "space")
        assert "reviewed; u undoes it" in screen_text(pilot)
        await press(pilot, "J", "J", "space")
        assert states(session).count(ReviewState.REVIEWED) == 3
        assert "2 items reviewed, 1 was reviewed already; u undoes it" in screen_text(pilot)
        assert [len(row.tags) for row in session.rows(0, 4)] == [1, 0, 0, 0]
        await press(pilot, "space")
        assert "All 3 items were reviewed already" in screen_text(pilot)
        await press(pilot, "u")
        assert "undone: 2 items reviewed" in screen_text(pilot)
        assert states(session)[:3] == [ReviewState.REVIEWED, ReviewState.NOT_REVIEWED, ReviewState.NOT_REVIEWED]
        with closing(open_for_reading(session.path)) as connection:
            assert replay_differences(connection) == []


async def test_nothing_to_tag_asks_before_it_takes_tags_off_a_range(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "home", "1", "J", "J", "0")
        assert "1 of the 3 items has tags (1 in all). 0 once more takes them off" in screen_text(pilot)
        assert states(session).count(ReviewState.REVIEWED) == 0
        await press(pilot, "K", "0", "0")
        assert "2 items reviewed without tags; u undoes it" in screen_text(pilot)
        assert [len(row.tags) for row in session.rows(0, 3)] == [0, 0, 0]
        assert states(session).count(ReviewState.REVIEWED) == 2
        await press(pilot, "u")
        assert [len(row.tags) for row in session.rows(0, 3)] == [1, 0, 0]
        await press(pilot, "0")
        assert "nothing to tag (arithmetic taken off); u undoes it" in queue_of(pilot)._message.message
        await press(pilot, "j", "J", "0")
        assert "2 items reviewed without tags; u undoes it" in screen_text(pilot)


async def test_deferring_what_was_reviewed_says_so(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "home", "space", "s")
        assert "deferred: it was reviewed, and is put off now; u undoes it" in screen_text(pilot)
        await press(pilot, "u", "J", "s")
        assert "deferred 2 items, 1 of the range was reviewed; u undoes it" in screen_text(pilot)
        await press(pilot, "u", "escape", "escape", "s")
        assert "digit-sums · output · simulated/off-by-one was reviewed; put off now, u undoes it." in screen_text(
            pilot
        )


@pytest.mark.parametrize(
    ("filter_", "sentence"),
    [
        ("arn:output", "Did you mean arm?"),
        ("status:wrnog", "Did you mean status:wrong?"),
        ("(arm:output", "a ) is missing"),
        ("@nothing", "there is no saved filter 'nothing'"),
    ],
)
async def test_a_filter_that_cannot_be_used_says_why_and_stays(
    session: ReviewSession, filter_: str, sentence: str
) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o")
        await filter_by(pilot, filter_)
        editor = queue_of(pilot)._asking.editor
        assert editor is not None and editor.note == filter_
        assert sentence in queue_of(pilot)._message.message
        await press(pilot, "escape", "escape")
        assert screen_of(pilot) and len(session) == 6


async def test_what_is_typed_behind_the_filter_narrows_it_and_one_key_empties_the_field(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o")
        await filter_by(pilot, "arm:output OR arm:state")
        await press(pilot, "slash", *"case:x")
        editor = queue_of(pilot)._asking.editor
        assert editor is not None and editor.note == "(arm:output OR arm:state) case:x"
        assert "ctrl+u empties it" in screen_text(pilot)
        await press(pilot, "ctrl+u", *"abc")
        assert editor.note == "abc"


async def test_after_a_filter_the_cursor_is_on_the_same_item_or_else_on_the_first_open_one(
    session: ReviewSession,
) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "home")
        others = [place for place in range(6) if session.item(place).key.arm != "output"]
        await filter_by(pilot, "arm:output")
        await press(pilot, "home", "space", "j", "space", "escape", "o")
        view = queue_of(pilot).view
        view.go_to(others[0])
        await filter_by(pilot, "arm:output")
        assert len(session) == 4 and view.index == 2
        await press(pilot, "a")
        # On a busy machine the search for the items of the case may go on for longer than is waited for it.
        many = ": 1 item of its only arm" if "of its only arm" in queue_of(pilot)._message.message else " alone"
        assert f"This case{many}; a shows all again." in screen_text(pilot)


async def test_every_key_and_a_pasted_newline_in_a_field_is_text(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "slash")
        await write(pilot, "")
        await press(pilot, *"1duqQ?J", "backspace", "space")
        pilot.app.post_message(events.Paste("arm:output\r\narm:out"))
        await press(pilot)
        editor = queue_of(pilot)._asking.editor
        assert editor is not None and editor.note == "1duqQ? arm:output\narm:out"
        assert "arm:output" in queue_of(pilot)._message.message and "␊" not in queue_of(pilot)._message.message
        await press(pilot, "tab")
        assert editor.note.startswith("1duqQ? arm:output arm:output")
        assert not any(row.tags for row in session.rows(0, 6)) and len(session) == 6


async def test_a_filter_that_leaves_nothing_stays_open_and_what_is_typed_is_text(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "a", "slash")
        await write(pilot, "case:nothing")
        await press(pilot, "enter")
        assert "No item is left by this filter. There is no case 'nothing'" in queue_of(pilot)._message.message
        await press(pilot, "s", "1")
        editor = queue_of(pilot)._asking.editor
        assert editor is not None and editor.note == "case:nothings1"
        assert len(session) == 2 and set(states(session)) == {ReviewState.NOT_REVIEWED}
        await press(pilot, "escape", "escape")
        assert len(session) == 6 and queue_of(pilot)
        await press(pilot, "escape")
        assert screen_of(pilot)


async def test_the_field_completes_names_and_values(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "slash")
        editor = queue_of(pilot)._asking.editor
        assert editor is not None
        await write(pilot, "status:wrong ar")
        await press(pilot, "tab")
        assert editor.note == "status:wrong arm:"
        await press(pilot, "o", "tab")
        assert editor.note == "status:wrong arm:output"


async def test_the_field_for_an_id_completes_names_of_cases(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "g", *"ABC31")
        editor = queue_of(pilot)._asking.editor
        assert editor is not None
        first = session.item(0).key.case
        await write(pilot, first[:-1].upper())
        assert f"tab: {first[:-1].lower()}" in screen_text(pilot).lower()
        await press(pilot, "tab")
        assert editor.note.lower().startswith(first[:-1].lower()) and editor.note in {
            session.item(place).key.case for place in range(len(session))
        }
        await press(pilot, "enter")
        assert queue_of(pilot)._asking.editor is None


async def test_a_text_that_was_pasted_into_the_field_for_an_id_by_mistake_is_no_case(session: ReviewSession) -> None:
    with closing(session.table()) as table:
        assert table.complete_id("x" * 1_000_000) == table.complete_id("!%_" * 20_000) == []


async def test_only_the_column_that_is_written_is_completed(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "c")
        await write(pilot, "state,case, s")
        said = queue_of(pilot)._message.message
        assert said.startswith("tab: study   setting   ") and "state" not in said and "," not in said
        await press(pilot, "tab")
        editor = queue_of(pilot)._asking.editor
        assert editor is not None and editor.note == "state,case, study"


async def test_a_column_that_is_typed_behind_the_others_is_one_more(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o")
        before = queue_of(pilot).table.columns
        await press(pilot, "c", *"language", "enter")
        assert queue_of(pilot).table.columns == (*before, "language")
        await press(pilot, "c", "enter")
        assert queue_of(pilot).table.columns == (*before, "language")


async def test_columns_are_chosen_and_remembered(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "c")
        await write(pilot, "state,language,sample")
        await press(pilot, "enter")
        assert "language" in screen_text(pilot) and "cstar" in screen_text(pilot)
        await press(pilot, "escape", "o")
        assert queue_of(pilot).table.columns == ("state", "language", "sample")
        await press(pilot, "c")
        await write(pilot, "state,langage")
        await press(pilot, "enter")
        assert "Did you mean language?" in queue_of(pilot)._message.message


async def test_tags_are_shown_by_their_keys_where_their_names_do_not_fit(session: ReviewSession) -> None:
    async with reviewing(session, (100, 30)) as pilot:
        await press(pilot, "1", "j", "1", "2", "o", "home")
        shown = screen_text(pilot)
        assert "[arithmetic]" in shown and "[1 2]" in shown
        await press(pilot, "c")
        await write(pilot, "case,tags")
        await press(pilot, "enter")
        names = {choice.key: choice.name for choice in session.choices}
        assert f"[{names['1']}, {names['2']}]" in screen_text(pilot)


async def test_prediction_and_oracle_are_columns_of_one_line(session: ReviewSession) -> None:
    async with reviewing(session, (160, 40)) as pilot:
        await press(pilot, "o", "c")
        await write(pilot, "case,prediction,oracle")
        await press(pilot, "enter", "home")
        item = session.item(0)
        shown = screen_text(pilot)
        assert item.grade is not None and item.grade.prediction and item.oracle_text
        assert visible_line(item.grade.prediction) in shown and visible_line(item.oracle_text) in shown
        assert "line 0: 0␊line 1: 1␊" in shown


async def test_the_first_other_sample_of_a_task_says_how_to_see_one_of_each(tmp_path: Path) -> None:
    tasks = [task("c1"), task("c2")]
    replies = [response(case, response="no", sample=sample) for case in ("c1", "c2") for sample in range(3)]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, replies)], LoadOptions())
    with closing(open_session(tmp_path / "a.db", "lm", QueueWish(where="", order="import"))) as session:
        async with reviewing(session) as pilot:
            assert "of the same task" not in screen_text(pilot)
            await press(pilot, "space")
            assert "Sample 1 of the same task; one of each: filter sample:0 (/)" in screen_text(pilot)
            await press(pilot, "space")
            assert "of the same task" not in screen_text(pilot), "once is enough"
    with closing(open_session(tmp_path / "a.db", "b", QueueWish(where="", blind=True))) as session:
        async with reviewing(session) as pilot:
            for _ in range(6):
                await press(pilot, "space")
                assert "of the same task" not in screen_text(pilot)


async def test_samples_have_a_column_and_what_is_the_same_in_the_whole_file_has_none(tmp_path: Path) -> None:
    tasks = [task("c1"), task("c2")]
    replies = [response(case, response="no", sample=sample) for case in ("c1", "c2") for sample in range(2)]
    load(tmp_path / "a.db", [write_run(tmp_path / "run", tasks, replies)], LoadOptions())
    with closing(open_session(tmp_path / "a.db", "lm", QueueWish(where=""))) as session:
        async with reviewing(session, (80, 24)) as pilot:
            await press(pilot, "o")
            assert queue_of(pilot).table.columns == ("state", "case", "sample", "loc", "mode.computed", "tags", "note")


async def test_arms_of_the_case_and_back(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "home", "a")
        assert len(session) == 2 and "case:digit-sums" in screen_text(pilot)
        await press(pilot, "a")
        assert len(session) == 6
        await press(pilot, "m")
        assert len(session) == 1
        await press(pilot, "escape")
        assert len(session) == 6 and queue_of(pilot)


async def test_going_to_a_case_a_key_and_a_place(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o", "g")
        for text, index in (("cut-off", 3), ("2", 1), ("loops/no-reply/output/simulated%2Foff-by-one/0", None)):
            await write(pilot, text)
            await press(pilot, "enter")
            expected = 4 if index is None else index
            row = queue_of(pilot).view.row(queue_of(pilot).view.index)
            assert row is not None
            if index is None:
                assert row.cells["case"] == "no-reply"
            else:
                assert queue_of(pilot).view.index == expected
            await press(pilot, "g")
        await write(pilot, "elsewhere")
        await press(pilot, "enter")
        assert "there is no item 'elsewhere'" in queue_of(pilot)._message.message


async def test_going_to_an_item_from_the_review_shows_it_there(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "g")
        await write(pilot, "cut-off")
        await press(pilot, "enter")
        item = screen_of(pilot).item
        assert item is not None and item.key.case == "cut-off" and len(session) == 6
        await press(pilot, "g", "escape")
        assert screen_of(pilot).index == 3
        await press(pilot, "g", "4", "2", "enter")
        assert "there is no item '42'" in queue_of(pilot)._message.message


async def test_going_to_one_of_several_items_lets_choose_and_keeps_the_queue(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "end", "g")
        await write(pilot, "digit-sums")
        await press(pilot, "enter")
        assert "2 items match: Enter goes to the one that is chosen, Esc shows all again." in screen_text(pilot)
        assert len(session) == 2 and "items of digit-sums" in screen_text(pilot)
        await press(pilot, "escape")
        assert len(session) == 6 and queue_of(pilot)
        await press(pilot, "escape", "g")
        await write(pilot, "digit-sums")
        await press(pilot, "enter", "j", "enter")
        assert screen_of(pilot).index == 1 and len(session) == 6
        await press(pilot, "o", "end", "g")
        await write(pilot, "digit-sums")
        await press(pilot, "enter")
        assert "The first of 2 items that match." in screen_text(pilot) and queue_of(pilot).view.index == 0


async def test_the_next_order_and_a_saved_filter(session: ReviewSession) -> None:
    async with reviewing(session) as pilot:
        await press(pilot, "o")
        await filter_by(pilot, "arm:output")
        await press(pilot, "tab")
        assert f"Order: {queue_of(pilot).order}, 1 of 5; tab goes on." in screen_text(pilot)
        await press(pilot, "ctrl+s")
        await write(pilot, "outputs")
        await press(pilot, "enter")
        assert "Saved: @outputs" in queue_of(pilot)._message.message
        order = queue_of(pilot).order
        await press(pilot, "escape", "o")
        await filter_by(pilot, "@outputs")
        assert len(session) == 4 and queue_of(pilot).order == order, queue_of(pilot)._message.message


async def test_a_blind_review_shows_and_filters_nothing_that_it_hides(audit_file: Path) -> None:
    with closing(open_session(audit_file, "lm", QueueWish(where="", blind=True))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "o")
            shown = screen_text(pilot)
            assert "off-by-one" not in shown and "S/Standard" not in shown and "~" not in shown
            await filter_by(pilot, "setting:simulated")
            assert "hidden in this review" in queue_of(pilot)._message.message
            await press(pilot, "escape", "m")
            assert "hidden in this review" in queue_of(pilot)._message.message
            await press(pilot, "tab")
            assert "random order" in queue_of(pilot)._message.message
            await press(pilot, "c")
            for column in ("setting", "item"):
                await write(pilot, column)
                await press(pilot, "enter")
                assert "hidden in this review" in queue_of(pilot)._message.message
            await write(pilot, "case,prediction,oracle")
            await press(pilot, "enter")
            assert queue_of(pilot).table.columns == ("case", "prediction", "oracle")


async def test_a_blind_review_can_be_narrowed_within_the_filter_that_it_began_with(audit_file: Path) -> None:
    with closing(open_session(audit_file, "lm", QueueWish(where="status:wrong", blind=True))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "o")
            everything = len(session)
            await filter_by(pilot, "case:long-output status:wrong")
            assert 0 < len(session) < everything, queue_of(pilot)._message.message
            for where in (
                "status:wrong-valid",
                "NOT status:wrong",
                "status:wrong OR case:long-output",
                "status:correct",
            ):
                with pytest.raises(InputError, match="hidden in this review"):
                    session.find_items(where)
            await press(pilot, "tab")
            assert "random order" in queue_of(pilot)._message.message


async def test_a_blind_review_names_no_filter_that_it_would_refuse(audit_file: Path) -> None:
    save_filter(audit_file, "of-ana", "annotator:ana")
    save_filter(audit_file, "hard", "loc>10")
    with closing(open_session(audit_file, "lm", QueueWish(where="", blind=True))) as session:
        async with reviewing(session) as pilot:
            await press(pilot, "o")
            await filter_by(pilot, "@nothing")
            said = queue_of(pilot)._message.message
            assert "hard" in said and "of-ana" not in said
            assert [one.text for one in queue_of(pilot).table.complete("@")] == ["@hard"]


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_audit(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def hostile_session(hostile_file: Path) -> Iterator[ReviewSession]:
    opened = open_session(hostile_file, "lm [/] \x1b[2J", QueueWish(where="", order="import"))
    yield opened
    opened.close()


async def test_hostile_texts_are_shown_literally_in_every_column(hostile_session: ReviewSession) -> None:
    async with reviewing(hostile_session, (160, 80)) as pilot:
        await press(pilot, "o", "home")
        for columns in (
            "state,case,arm,setting,note",
            "study,tag,annotator,language,status,mode.computed,sample",
            "item,oracle,prediction",
        ):
            await press(pilot, "c")
            await write(pilot, columns)
            await press(pilot, "enter")
            shown = screen_text(pilot)
            assert not has_invisible(shown.replace("\n", ""))
            if "case" in columns.split(","):
                for number, text in enumerate(HOSTILE.values()):
                    if number < 45:
                        assert visible_name(f"{number} {text}")[:12].rstrip() in shown
        for text in ("[/]", "\x1b[2J", "a\rb"):
            await filter_by(pilot, f'"{text}"')
            assert not has_invisible(screen_text(pilot).replace("\n", ""))
            await press(pilot, "escape")


async def test_the_setting_gives_the_columns_until_others_are_chosen(session: ReviewSession) -> None:
    setup = Setup(Settings(queue_columns=("case", "loc", "state")))
    async with reviewing(session, setup=setup) as pilot:
        await press(pilot, "o")
        assert queue_of(pilot).table.columns == ("case", "loc", "state")
        await press(pilot, "c")
        await write(pilot, "case,arm")
        await press(pilot, "enter", "escape", "o")
        assert queue_of(pilot).table.columns == ("case", "arm")


async def test_a_setting_with_an_unknown_column_is_told_and_the_usual_ones_are_shown(session: ReviewSession) -> None:
    async with reviewing(session, setup=Setup(Settings(queue_columns=("cse",)))) as pilot:
        await press(pilot, "o")
        assert queue_of(pilot).table.columns == tuple(name for name in DEFAULT_COLUMNS if name != "sample")
        assert "The setting queue_columns: " in queue_of(pilot)._message.message
        assert "Did you mean case?" in queue_of(pilot)._message.message


async def test_a_file_that_is_gone_opens_no_queue_and_ends_no_review(session: ReviewSession) -> None:
    async with reviewing(session, (80, 24)) as pilot:
        await press(pilot, "1")
        session.path.rename(session.path.with_suffix(".away"))
        review = pilot.app.screen
        await press(pilot, "o")
        assert pilot.app.screen is review
        assert "there is no audit file" in screen_text(pilot)
        session.path.with_suffix(".away").rename(session.path)
        await press(pilot, "o")
        assert queue_of(pilot).view.row(0) is not None
