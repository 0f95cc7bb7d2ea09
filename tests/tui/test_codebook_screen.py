"""The codebook screen: what it shows, each change by its keys, and the review that goes on under the new revision."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot

from auditor.audit.codebook_revising import export_codebook, import_codebook, revise_codebook, view_codebook
from auditor.audit.inspect import verify
from auditor.audit.review import MarkReviewed, QueueWish, ReviewSession, ToggleTag, open_session
from auditor.audit.tags import put_tags
from auditor.codebook import Codebook, Tag
from auditor.codebook_changes import Revised, add_tag, define_tag, merge_tags, rename_tag, retire_tag
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, transaction
from auditor.text import has_invisible, visible_line
from auditor.tui.screens.codebook import CodebookScreen
from auditor.tui.screens.review import ReviewScreen
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.tui.driving import press, resize, reviewing, screen_of, screen_text, settle


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return an audit file with two items of ana and one of ben that carry `arithmetic`."""
    path = make_audit(tmp_path / "audit.db")
    for case in (0, 1):
        put_tags(path, "ana", f"demo/case-{case}/output/model-a/0", ["arithmetic"])
    put_tags(path, "ben", "demo/case-0/output/model-a/0", ["arithmetic"])
    return path


@pytest.fixture
def ana(path: Path) -> Iterator[ReviewSession]:
    session = open_session(path, "ana", QueueWish(where="", order="import"))
    yield session
    session.close()


def codebook_screen(pilot: Pilot[int]) -> CodebookScreen:
    screen = pilot.app.screen
    assert isinstance(screen, CodebookScreen)
    return screen


def said(pilot: Pilot[int]) -> str:
    return codebook_screen(pilot)._message.message


def stored(path: Path) -> Codebook:
    return view_codebook(path).codebook


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_tags_stand_beside_what_is_written_of_them(ana: ReviewSession, size: tuple[int, int]) -> None:
    async with reviewing(ana, size) as pilot:
        await press(pilot, "Q")
        shown = screen_text(pilot)
        row = next(line for line in shown.splitlines() if line.startswith("▸"))
        # The annotator's own items only: ben's is not counted.
        assert "1  arithmetic" in row and row.split("│")[0].split()[-1] == "2"
        assert "The right operation is applied" in shown and "id arithmetic" in shown
        await press(pilot, "j")
        assert "id state-transition" in screen_text(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ReviewScreen)


async def test_a_renamed_tag_is_at_once_in_the_review(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "j")
        index = screen_of(pilot).index
        await press(pilot, "Q", "L", *["backspace"] * 10, *"sums", "enter")
        assert "is called 'sums'? 2 items of yours carry it." in said(pilot)
        assert "ben" not in screen_text(pilot)
        await press(pilot, "enter")
        assert "Revision 2: the tag arithmetic is called 'sums'." in screen_text(pilot)
        await press(pilot, "escape")
        shown = screen_text(pilot)
        assert "1 sums" in shown and "codebook execution r2" in shown
        assert screen_of(pilot).index == index
        await press(pilot, "1")
        assert ana.item(index).review.tags == ("arithmetic",)
    assert stored(path).find_tag("sums").id == "arithmetic"


async def test_a_new_tag_has_a_key_that_acts_at_once(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "A", *"lost digit", "enter", *"A digit is missing.", "enter", "enter")
        assert "Make this change: the tag lost-digit added?" in said(pilot)
        await press(pilot, "f2")
        assert "C puts it into a group, E adds an example." in said(pilot)
        assert "id lost-digit" in screen_text(pilot)
        await press(pilot, "escape")
        key = stored(path).find_tag("lost-digit").key
        await press(pilot, key)
        assert "lost-digit" in ana.item(screen_of(pilot).index).review.tags
        await press(pilot, "question_mark")
        assert "lost digit" in "\n".join(line.text for line in pilot.app.screen.query_one("HelpView")._help.lines)  # type: ignore[attr-defined]  # the only view of the help


async def test_what_a_tag_needs_is_asked_for_where_it_is_missing(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "A", "enter")
        assert "A tag needs a name." in said(pilot) and "Name of the new tag" in screen_text(pilot)
        await press(pilot, *"lost digit", "enter", "enter")
        assert "A tag needs a definition" in said(pilot) and "What 'lost digit' means" in screen_text(pilot)
        await press(pilot, *"A digit is missing.", "enter", "enter", "f2")
        assert stored(path).find_tag("lost-digit").definition == "A digit is missing."


async def test_a_merge_asks_for_the_other_tag_and_shows_the_chip_of_that_one(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "M", "j", "j", "enter", "enter", "escape")
        assert stored(path).find_tag("arithmetic").merged_into == "control-flow"
        assert view_codebook(path).outdated == 3
        index = next(at for at in range(len(ana)) if ana.item(at).review.tags)
        steps = index - screen_of(pilot).index
        await press(pilot, *["j" if steps > 0 else "k"] * abs(steps))
        assert "[3 control flow]" in screen_text(pilot)
        await press(pilot, "3")
        assert ana.item(index).review.tags == ()
    assert not [check for check in verify(path) if check.problems]


async def test_a_split_asks_for_parts_until_an_empty_answer(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "S", *"carry", "enter", *"A carry is lost.", "enter")
        await press(pilot, *"copying", "enter", "enter")
        assert "split into carry, copying? 2 items of yours carry it. Enter: do it." in said(pilot)
        await press(pilot, "enter")
    assert stored(path).find_tag("arithmetic").split_into == ("carry", "copying")


async def test_retire_and_restore_keys_order_and_groups(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "D", "f2")
        assert stored(path).find_tag("arithmetic").retired and view_codebook(path).outdated == 0
        await press(pilot, "D", "enter")
        assert not stored(path).find_tag("arithmetic").retired
        await press(pilot, "greater_than_sign")
        assert [tag.id for tag in stored(path).active][:2] == ["state-transition", "arithmetic"]
        await press(pilot, "B", "backspace", "b", "enter")
        assert stored(path).find_tag("arithmetic").key == "b"
        await press(pilot, "C", *["backspace"] * 30, *"Sums", "enter")
        assert stored(path).find_tag("arithmetic").group == "sums"
        assert view_codebook(path).revision == 6


async def test_a_change_of_meaning_is_told_from_one_of_words(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "E", *" More.", "enter", "enter", "enter", "f2")
        assert stored(path).find_tag("arithmetic").definition.endswith(" More.")
        assert view_codebook(path).outdated == 0
        await press(pilot, "E", *" Or less.", "enter", "enter", "enter", "enter")
        assert view_codebook(path).outdated == 3


async def test_what_cannot_be_done_is_said_and_the_answer_stays(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "B", "backspace", "u", "enter")
        assert "the key 'u' cannot be a tag's" in screen_text(pilot)
        screen = codebook_screen(pilot)
        assert screen._editor is not None and screen._editor.note == "u"
        await press(pilot, "backspace", "z", "enter")
        assert stored(path).find_tag("arithmetic").key == "z"
        await press(pilot, "M", "enter")
        assert "cannot be merged into itself" in screen_text(pilot)
        await press(pilot, "escape")
        assert "Nothing was changed." in screen_text(pilot)
    assert view_codebook(path).revision == 2


async def test_every_key_in_a_question_is_text(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "A", *"AQq?jLD")
        screen = codebook_screen(pilot)
        assert screen._editor is not None and screen._editor.note == "AQq?jLD"
        await press(pilot, "f2", "ctrl+c")
        assert "Esc leaves this question." in screen_text(pilot)
        await press(pilot, "escape", "q")
        assert isinstance(pilot.app.screen, ReviewScreen)
    assert view_codebook(path).revision == 1


async def test_a_locked_file_keeps_the_question_open(path: Path, ana: ReviewSession) -> None:
    with closing(sqlite3.connect(path)) as other:
        async with reviewing(ana) as pilot:
            await press(pilot, "Q", "D")
            other.execute("BEGIN IMMEDIATE")
            await press(pilot, "enter")
            assert "another process is writing" in screen_text(pilot)
            other.rollback()
            await press(pilot, "enter")
            assert "Revision 2: the tag arithmetic retired." in screen_text(pilot)


async def test_marks_that_wait_for_the_file_survive_a_new_revision(path: Path, ana: ReviewSession) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        ana.submit(16, ToggleTag("arithmetic"))
        assert ana.pending == 1
        other.rollback()
    revise_codebook(path, lambda book: retire_tag(book, "arithmetic"))
    assert ana.follow_codebook() and not ana.follow_codebook()
    assert ana.retry_pending() == 0 and ana.item_by_id(16).review.tags == ("arithmetic",)
    assert not [check for check in verify(path) if check.problems]


async def test_a_change_from_elsewhere_is_there_when_the_codebook_is_opened(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        revise_codebook(path, lambda book: rename_tag(book, "arithmetic", "sums"))
        assert "1 arithmetic" in screen_text(pilot)
        await press(pilot, "Q", "escape")
        assert "1 sums" in screen_text(pilot)


async def test_a_retired_tag_on_an_item_is_shown_and_can_only_be_taken_off(path: Path) -> None:
    revise_codebook(path, lambda book: retire_tag(book, "arithmetic"))
    session = open_session(path, "ana", QueueWish(where="tag:arithmetic", order="import"))
    async with reviewing(session) as pilot:
        assert "[retired: arithmetic]" in screen_text(pilot)
        index = next(at for at, choice in enumerate(session.choices) if choice.id == "arithmetic")
        screen = screen_of(pilot)
        await screen.action_perform("item.tag", index)
        assert session.item(0).review.tags == ()
        await screen.action_perform("item.tag", index)
        assert "is retired: it can only be taken off" in screen_text(pilot) and session.item(0).review.tags == ()
    session.close()


async def test_what_needs_another_look_is_a_queue_that_empties(path: Path) -> None:
    revise_codebook(path, lambda book: merge_tags(book, "arithmetic", "other"))
    session = open_session(path, "ana", QueueWish(where="", stale=True))
    async with reviewing(session) as pilot:
        assert "1 of 2" in screen_text(pilot) and "to look at again" in screen_text(pilot)
        await press(pilot, "space")
        assert "2 of 2" in screen_text(pilot)
        await press(pilot, "u")
        assert "1 of 2" in screen_text(pilot)
        await press(pilot, "space", "space")
        assert "All 2 items of this queue" in screen_text(pilot)
    session.close()
    assert [view_codebook(path, annotator=name).outdated for name in ("ana", "ben")] == [0, 1]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_hostile_texts_are_shown_literally(tmp_path: Path, size: tuple[int, int]) -> None:
    texts = [text for text in HOSTILE.values() if text.strip() and "\x00" not in text]
    path = make_audit(tmp_path / "audit.db")
    tags = [
        Tag(f"t{number}", _name(number, text), "", None, False, text, text, text, retired=True)
        for number, text in enumerate(texts)
    ]
    with closing(open_file(path)) as connection, transaction(connection):
        ensure_codebook(connection, Codebook("hostile", "hostile", "", (*_first(), *tags)))
    session = open_session(path, "lm", QueueWish(where="", codebook="hostile"))
    async with reviewing(session, size) as pilot:
        await press(pilot, "Q")
        for number, text in enumerate(texts):
            await press(pilot, "j")
            shown = screen_text(pilot)
            assert not has_invisible(shown.replace("\n", ""))
            assert _name(number, text)[:12].rstrip() in shown
        screen = codebook_screen(pilot)
        for text in HOSTILE.values():
            screen.say(text)
            await press(pilot)
            assert not has_invisible(screen_text(pilot).replace("\n", ""))
        await resize(pilot, 60, 15)
        assert not has_invisible(screen_text(pilot).replace("\n", ""))
    session.close()


def _name(number: int, text: str) -> str:
    return f"{number} {' '.join(visible_line(text)[:60].split())}"


def _first() -> tuple[Tag, ...]:
    return (Tag("plain", "plain tag", "1", definition="d"),)


async def test_restoring_a_merged_tag_does_not_say_that_nothing_carries_it(path: Path, ana: ReviewSession) -> None:
    revise_codebook(path, lambda book: merge_tags(book, "copying", "arithmetic"))
    async with reviewing(ana) as pilot:
        await press(pilot, "Q")
        for _ in ana.codebook.tags:
            await press(pilot, "j")  # retired tags come last
        await press(pilot, "D")
        shown = " ".join(screen_text(pilot).replace("─", " ").split())
        assert "copying restored?" in shown and "What was tagged so counts as it again." in shown


async def test_a_name_with_brackets_is_a_name_in_every_question(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "A", *"a[/]b[x]", "enter")
        assert "a[/]b[x]" in screen_text(pilot)
        await press(pilot, *"What it is.", "enter", "enter", "f2")
    assert "a[/]b[x]" in [tag.name for tag in view_codebook(path).codebook.tags]


async def test_undo_is_about_marks_and_not_about_the_codebook(path: Path, ana: ReviewSession, tmp_path: Path) -> None:
    ana.submit(5, ToggleTag("copying"))
    book = tmp_path / "book.yaml"
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "j", "D", "enter", "escape", "u")
        assert ana.item_by_id(5).review.tags == ("arithmetic",)
        assert "undone: tag copying" in screen_text(pilot)
    book.write_text(export_codebook(path, revision=1))
    assert import_codebook(path, book).words == "the tag state-transition restored"


async def test_a_change_made_elsewhere_is_taken_up_and_told(ana: ReviewSession, path: Path) -> None:
    async with reviewing(ana) as pilot:
        screen = screen_of(pilot)
        revise_codebook(path, lambda book: add_tag(book, "builtin semantics", "Of a builtin.", again=True))
        await screen._codebook_watch.follow()
        await settle(pilot)
        assert "codebook is at revision 2 now" in screen_text(pilot) and "builtin-semantics" in screen_text(pilot)
        key = next(choice.key for choice in screen.choices if choice.id == "builtin-semantics")
        await press(pilot, key)
        assert ana.item(screen.index).review.tags[-1] == "builtin-semantics"
        await screen._codebook_watch.follow()
        assert "is at revision" not in screen_text(pilot)
    assert not any(check.problems for check in verify(path))


async def test_a_key_that_stood_for_another_tag_asks_once_more(ana: ReviewSession, path: Path) -> None:
    async with reviewing(ana) as pilot:
        screen = screen_of(pilot)
        tags = ana.item(screen.index).review.tags
        revise_codebook(path, lambda book: swapped(book, "1", "2"))
        await screen._codebook_watch.follow()
        await settle(pilot)
        await press(pilot, "1")
        assert "Since revision 2 the key 1 is state transition: press it again" in screen_text(pilot)
        assert ana.item(screen.index).review.tags == tags
        await press(pilot, "1")
        assert "state-transition" in ana.item(screen.index).review.tags
    assert not any(check.problems for check in verify(path))


def swapped(book: Codebook, one: str, other: str) -> Revised:
    """Give two tags each the other's key."""
    keys = {one: other, other: one}
    tags = tuple(replace(tag, key=keys.get(tag.key, tag.key)) for tag in book.tags)
    return Revised(replace(book, tags=tags), "key", "keys exchanged")


async def test_no_change_is_taken_up_under_a_note_or_below_another_screen(ana: ReviewSession, path: Path) -> None:
    async with reviewing(ana) as pilot:
        watch = screen_of(pilot)._codebook_watch
        for opened in ("n", "o"):
            await press(pilot, opened)
            before = ana.codebook_revision
            revise_codebook(path, partial(add_tag, name=f"tag {opened}", definition="Another one."))
            await watch.follow()
            assert ana.codebook_revision == before
            await press(pilot, "escape")
        await watch.follow()
        await settle(pilot)
        assert ana.codebook_revision == 3


async def test_what_needs_another_look_is_counted_and_says_why(ana: ReviewSession, path: Path) -> None:
    ana.submit(ana.item(0).response_id, MarkReviewed())
    revise_codebook(path, lambda book: merge_tags(book, "arithmetic", "state-transition"))
    ana.follow_codebook()
    async with reviewing(ana) as pilot:
        await press(pilot, "asterisk", "k")
        assert "2 again" in screen_text(pilot)
        assert "since then: arithmetic was merged into state-transition." in " ".join(screen_text(pilot).split())
        await press(pilot, "space")
        assert "1 again" in screen_text(pilot)
        await press(pilot, "u")
        assert "2 again" in screen_text(pilot)


async def test_two_people_who_write_of_a_tag_at_once_both_keep_what_they_wrote(path: Path, ana: ReviewSession) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "E", "!", "enter")
        revise_codebook(path, lambda book: define_tag(book, "arithmetic", decision_rule="Ben's rule.", meaning=False))
        await press(pilot, "enter", "enter", "f2")
        assert "Revision 3: the tag arithmetic is worded differently." in said(pilot)
        assert "Made elsewhere meanwhile: the tag arithmetic is worded differently." in said(pilot)
    tag = stored(path).find_tag("arithmetic")
    assert tag.definition.endswith("!") and tag.decision_rule == "Ben's rule."


@pytest.mark.parametrize("when", ["before", "beside"])
async def test_a_key_that_changed_elsewhere_asks_once_more_after_the_codebook_was_open(
    ana: ReviewSession, path: Path, when: str
) -> None:
    async with reviewing(ana) as pilot:
        tags = ana.item(screen_of(pilot).index).review.tags
        if when == "beside":
            await press(pilot, "Q")
        revise_codebook(path, lambda book: swapped(book, "1", "2"))
        if when == "before":
            await press(pilot, "Q")
        else:
            await press(pilot, "A", *"new", "enter", *"Something.", "enter", "enter", "f2")
        await press(pilot, "escape", "1")
        assert "the key 1 is state transition: press it again if that is meant" in screen_text(pilot)
        assert ana.item(screen_of(pilot).index).review.tags == tags


async def test_an_own_change_of_keys_asks_nothing_more(ana: ReviewSession, path: Path) -> None:
    async with reviewing(ana) as pilot:
        await press(pilot, "Q", "j", "B", "backspace", "1", "enter", "escape", "1")
        assert "state-transition" in ana.item(screen_of(pilot).index).review.tags


async def test_a_look_for_changes_is_not_cut_off_by_the_next(
    ana: ReviewSession, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the session would have the new revision and the screen the old one, for ever."""
    began, may_end, follow = threading.Event(), threading.Event(), ana.follow_codebook

    def slow() -> bool:
        began.set()
        may_end.wait()
        return follow()

    monkeypatch.setattr(ana, "follow_codebook", slow)
    async with reviewing(ana) as pilot:
        watch = screen_of(pilot)._codebook_watch
        revise_codebook(path, lambda book: rename_tag(book, "arithmetic", "sums"))
        watch._start()
        await asyncio.to_thread(began.wait)
        watch._start()
        may_end.set()
        await settle(pilot)
        assert "1 sums" in screen_text(pilot) and "codebook execution r2" in screen_text(pilot)
