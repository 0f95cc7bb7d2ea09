"""Blind review on the screen: whatever is pressed, at every size, nothing that is hidden shows before its reveal."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.review import (
    Defer,
    MarkReviewed,
    NothingToTag,
    QueueWish,
    ReviewSession,
    ReviewState,
    SetNote,
    ToggleTag,
    open_session,
)
from auditor.tui.actions import ACTIONS
from tests.tui.conftest import LOOP, audit_of
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text

SIZES = ((80, 24), (120, 40), (160, 50))
ARMS = ("during-loop-arm", "past-loop-arm")
SETTINGS = ("zephyr-x9/high", "quorum-2/low")
HIDDEN = (
    *ARMS,
    *SETTINGS,
    *("zephyr", "quorum", "x9/h", "2/low", "loop-arm", "pondering", "terse-prompting", "temperature", "hotness"),
    *("during-l", "past-l", "wrong-valid", "wrong value", "one digit", "off by one", "stale", "sign", "~ "),
    *("zoe", "zoe's remark", "Tell me the state"),
)
"""What may not be seen: names, parts of them as a column cuts them, modes, evidence, and another annotator's work."""
LEAVING = ("program.quit", "program.interrupt", "item.reveal")
TRIED = [action for action in ACTIONS if action.keys and action.id not in LEAVING]
SCROLLING = ("pane.", "difference.")


@pytest.fixture(scope="module")
def blind_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an audit of two cases, two arms and two settings; an annotator zoe has marked all of it."""
    folder = tmp_path_factory.mktemp("blind")
    tasks: list[dict[str, object]] = []
    responses: list[dict[str, object]] = []
    for case in ("alpha", "beta"):
        for number, arm in enumerate(ARMS):
            oracle = json.dumps({"total": 63250, "i": 17 + number})
            task: dict[str, object] = {
                "study": "loops",
                "case": case,
                "arm": arm,
                "language": "python",
                "source": LOOP,
                "input": "40\n",
            }
            task |= {
                "target": "state",
                "oracle": oracle,
                "facets": {"hotness": arm},
                "measures": {"temperature": number},
            }
            tasks.append(task | {"prompt": {"system": "", "user": "Tell me the state"}})
            for setting in SETTINGS:
                reply = json.dumps({"output": json.dumps({"total": 63240, "i": 16})})
                key: dict[str, object] = {"study": "loops", "case": case, "arm": arm, "setting": setting, "sample": 0}
                responses.append(key | {"response": reply, "reasoning": "First.\n", "usage": {"model": setting}})
    path = audit_of(folder, tasks, responses)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE settings SET model = name, mode = 'pondering', prompting = 'terse-prompting'")
    return path


@pytest.fixture
def path(blind_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(blind_template, tmp_path / "demo.db"))


def let_zoe_work(path: Path) -> None:
    """Have another annotator review, tag, note and defer everything."""
    session = open_session(path, "zoe", QueueWish(where=""))
    for index in range(len(session)):
        item = session.item(index).response_id
        session.submit(item, ToggleTag(session.choices[index % 3].id))
        session.submit(item, SetNote("zoe's remark"))
        session.submit(item, Defer() if index % 3 == 0 else MarkReviewed())
    session.close()


@pytest.fixture
def blind(path: Path) -> Iterator[ReviewSession]:
    let_zoe_work(path)
    session = open_session(path, "lm", QueueWish(where="", blind=True))
    yield session
    session.close()


def told(pilot: Pilot[int]) -> str:
    """Return all that a person can read: the screen, notifications and the titles."""
    app = pilot.app
    noted = [f"{note.title} {note.message}" for note in app._notifications]
    return "\n".join([screen_text(pilot), *noted, app.title, app.sub_title])


def leaks(text: str, codebook: str = "") -> list[str]:
    """Return what is hidden and told; the codebook, where it is shown, may have such words of its own."""
    return [word for word in HIDDEN if word in text and word not in codebook]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_no_key_shows_anything_that_is_hidden(blind: ReviewSession, size: tuple[int, int]) -> None:
    async with reviewing(blind, size) as pilot:
        assert "hidden; v shows" in screen_text(pilot) and leaks(told(pilot)) == []
        for action in TRIED:
            await press(pilot, action.keys[0])
            codebook = blind.codebook.text if action.id == "codebook.show" else ""
            assert leaks(told(pilot), codebook) == [], action.id
            if len(pilot.app.screen_stack) > 1 or action.id == "item.note":
                await press(pilot, "escape")


async def test_nothing_shows_while_the_terminal_changes_its_size(blind: ReviewSession) -> None:
    async with reviewing(blind) as pilot:
        for columns, rows in ((79, 19), (200, 60), (100, 30), (160, 50), (40, 10), (80, 24)):
            await resize(pilot, columns, rows)
            assert leaks(told(pilot)) == []


async def test_marks_and_notes_leave_nothing_hidden_in_files_beside(blind: ReviewSession, path: Path) -> None:
    async with reviewing(blind) as pilot:
        await press(pilot, "1", "n", "m", "y")
        note = screen_of(pilot)._note
        assert await note.finish_typing() == "my"
        note.keep_soon()
        await note.keep_now()
        assert list(path.parent.glob("*.draft-*"))
        for file in path.parent.glob("demo.db.*"):
            assert leaks(file.name + file.read_text()) == []
        await press(pilot, "enter", "space", "u")
        assert leaks(told(pilot)) == [] and "undone" in screen_text(pilot)


async def test_a_reviewed_item_is_shown_with_one_key(blind: ReviewSession) -> None:
    async with reviewing(blind) as pilot:
        await press(pilot, "space", "k")
        assert leaks(told(pilot)) == []
        await press(pilot, "v")
        assert any(name in screen_text(pilot) for name in SETTINGS)
        assert any(name in screen_text(pilot) for name in ARMS)
        assert "~ " in screen_text(pilot) and "wrong-valid" in screen_text(pilot)
        await press(pilot, "v")
        assert "Everything about this item is shown." in screen_text(pilot)
        await press(pilot, "j")
        assert leaks(told(pilot)) == []


async def test_an_item_that_is_not_reviewed_is_shown_when_asked_for_twice(blind: ReviewSession, path: Path) -> None:
    async with reviewing(blind) as pilot:
        first = screen_of(pilot).session.item(0).response_id
        await press(pilot, "v")
        assert leaks(told(pilot)) == [] and "v again shows all of it before it is reviewed" in screen_text(pilot)
        await press(pilot, "j", "v")
        assert leaks(told(pilot)) == []
        await press(pilot, "k", "v")
        assert leaks(told(pilot)) == []
        await press(pilot, "v")
        assert any(name in screen_text(pilot) for name in SETTINGS)
        await press(pilot, "u")
        assert "There is nothing to undo." in screen_text(pilot)
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT response_id, annotator_id FROM events WHERE action = 'reveal'"
        assert connection.execute(sql).fetchall() == [(first, 2)]


async def test_without_blind_the_key_says_that_nothing_is_hidden(path: Path) -> None:
    session = open_session(path, "lm", QueueWish(where=""))
    async with reviewing(session) as pilot:
        await press(pilot, "v")
        assert "Nothing is hidden: this is no blind review." in screen_text(pilot)
    session.close()


@pytest.mark.parametrize("blind", [False, True], ids=["plain", "blind"])
async def test_the_second_annotator_starts_blank(path: Path, tmp_path: Path, blind: bool) -> None:
    """The screen is the same to the last character whether another annotator has worked or not."""
    worked = Path(shutil.copy(path, tmp_path / "worked"))
    let_zoe_work(worked)
    (tmp_path / "elsewhere").mkdir()
    seen = []
    for file in (path, worked.rename(tmp_path / "elsewhere" / "demo.db")):
        session = open_session(file, "lm", QueueWish(where="", blind=blind))
        async with reviewing(session, (160, 50)) as pilot:
            screens = [screen_text(pilot)]
            for keys in (("1",), ("space",), ("s",), ("n", "x", "enter"), ("u", "u", "u", "u")):
                await press(pilot, *keys)
                screens.append(screen_text(pilot))
            for action in TRIED:
                if action.id in ("agreement.show", "adjudication.show", "overview.show") and not blind:
                    continue  # what they are for is to show what others said
                if action.group != "Mark" and not action.id.startswith(SCROLLING):
                    await press(pilot, action.keys[0])
                    screens.append(screen_text(pilot))
                    if len(pilot.app.screen_stack) > 1:
                        await press(pilot, "escape")
            seen.append(screens)
        session.close()
    assert seen[0] == seen[1]


async def test_suggestions_of_a_model_are_no_reviews(path: Path) -> None:
    let_zoe_work(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE annotators SET kind = 'model' WHERE name = 'zoe'")
    session = open_session(path, "lm", QueueWish(where=""))
    assert session.counts() == dict.fromkeys(ReviewState, 0) | {ReviewState.NOT_REVIEWED: 8}
    async with reviewing(session, (160, 50)) as pilot:
        assert "0 done" in screen_text(pilot) and "· 8" in screen_text(pilot)
    session.close()


async def test_a_second_pass_shows_nothing_of_the_first(path: Path) -> None:
    from auditor.audit.again import parse_again

    session = open_session(path, "lm", QueueWish(where=""))
    for index in range(len(session)):
        item = session.item(index).response_id
        session.submit(item, SetNote("zoe's remark"))
        session.submit(item, ToggleTag(session.choices[0].id) if index % 2 else NothingToTag())
        session.submit(item, MarkReviewed())
    session.close()
    session = open_session(path, "lm", QueueWish(where="", blind=True, again=parse_again("50%", at_once=True)))
    async with reviewing(session, (160, 50)) as pilot:
        text = screen_text(pilot)
        assert "lm#2" in text and "0 done" in text and "· 4" in text and leaks(told(pilot)) == []
        assert f"[{session.choices[0].key} " not in text
    session.close()
