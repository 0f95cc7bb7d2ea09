"""Text that broke other tools, at every place of the screen: shown literally, and nothing else happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import events
from textual.command import CommandList

from auditor.audit.review import QueueWish, ReviewSession, TagChoice, open_session
from auditor.text import has_invisible, visible_line, visible_name
from auditor.tui.actions import ACTIONS
from auditor.tui.help_lines import HelpCodebook, help_text
from auditor.tui.palette import TagEntry
from auditor.tui.screens.queue import QueueScreen
from auditor.tui.widgets.line_view import LineView
from auditor.tui.widgets.note_editor import NoteEditor
from auditor.tui.wrapping import shown_lines
from tests.hostile import HOSTILE
from tests.tui.driving import press, reviewing, screen_of, screen_text
from tests.tui.hostile_audit import hostile_audit


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile_audit(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def hostile_session(hostile_file: Path) -> Iterator[ReviewSession]:
    session = open_session(hostile_file, "lm [/] \x1b[2J", QueueWish(where="", order="import"))
    yield session
    session.close()


def shown_text(view: LineView) -> str:
    """Return all that a view would show, whether it is on the screen or not."""
    rows = [view._wrapped.row(y) for y in range(view._wrapped.rows)]
    lines: dict[int, str] = {}
    for row in rows:
        lines[row.line] = lines.get(row.line, "") + "".join(
            segment.text for segment in view._text_segments(row, view.base_style)
        )
    return "\n".join(lines.values())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_every_place_shows_them_literally(hostile_session: ReviewSession, size: tuple[int, int]) -> None:
    async with reviewing(hostile_session, size) as pilot:
        screen = screen_of(pilot)
        for index in range(len(hostile_session)):
            item = hostile_session.item(index)
            source, reply = item.task.source, item.response.text or ""
            without_last = source[:-1] if source.endswith("\n") and source != "\n" else source
            assert shown_text(screen.panes.source) == "\n".join(shown_lines(without_last)), item.key
            if item.task.input and screen.panes.input.region.area:
                assert shown_text(screen.panes.input) == "\n".join(shown_lines(item.task.input)), item.key
            if screen.panes.reply.region.area:
                assert shown_text(screen.panes.reply) == "\n".join(shown_lines(reply)), item.key
            shown = screen_text(pilot)
            assert not has_invisible(shown.replace("\n", "")), item.key
            assert visible_name(item.key.case)[:20].rstrip() in shown, item.key
            await press(pilot, "j")
        assert "This is the last item." in screen_text(pilot)


async def test_a_blind_review_shows_them_literally_and_a_reveal_too(hostile_file: Path) -> None:
    session = open_session(hostile_file, "[b]blind[/] \x1b[2J", QueueWish(where="", blind=True))
    async with reviewing(session, (160, 50)) as pilot:
        for index in range(min(len(session), 6)):
            assert not has_invisible(screen_text(pilot).replace("\n", ""))
            await press(pilot, "v", "v")
            assert not has_invisible(screen_text(pilot).replace("\n", "")), session.item(index).key
            await press(pilot, "j")
        assert "[b]blind[/] " in screen_text(pilot)
    session.close()


async def test_notes_and_messages_show_them_literally(hostile_session: ReviewSession) -> None:
    async with reviewing(hostile_session) as pilot:
        screen = screen_of(pilot)
        for text in HOSTILE.values():
            screen._tag_bar.show_review(hostile_session.item(0).review.state, (), text)
            screen.say(text)
            await press(pilot)
            shown = screen_text(pilot)
            assert not has_invisible(shown.replace("\n", ""))
            assert f"note: {visible_line(text)[:40]}".rstrip() in shown or not text
            assert visible_line(text)[:40].rstrip() in shown


@pytest.mark.parametrize("text", [*HOSTILE.values(), "a\x1cb\x85\U0010ff00\r\n"])
def test_the_note_editor_keeps_every_character_and_shows_no_control(text: str) -> None:
    editor = NoteEditor(text, "Note")
    assert editor.note == text
    lines = [editor.get_line(number).plain for number in range(editor.document.line_count)]
    assert not any(has_invisible(line) for line in lines)
    assert len(lines) == text.count("\n") + 1


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_help_shows_tags_literally(text: str) -> None:
    choice = TagChoice("t", text, "1", text, text, text, text, True, True)
    shown, tags, _ = help_text(HelpCodebook(text, 1, text, text, [choice]), ACTIONS, 100)
    lines = [line.text for line in shown]
    assert not any(has_invisible(line) for line in lines)
    assert any(line.startswith(f"Codebook {visible_line(text)}, revision 1") for line in lines)
    assert lines[tags[0]].startswith(f"          1  {visible_line(text)}")


async def test_an_annotator_and_a_file_with_such_a_name_are_shown(hostile_session: ReviewSession) -> None:
    async with reviewing(hostile_session, (160, 50)) as pilot:
        assert "lm [/] ␛[2J" in screen_text(pilot)


async def test_the_palette_shows_tags_literally(hostile_session: ReviewSession) -> None:
    async with reviewing(hostile_session, (120, 40)) as pilot:
        screen_of(pilot).tag_entries = [TagEntry(text, "1") for text in HOSTILE.values()]
        await press(pilot, "ctrl+p", *"tag:")
        found = pilot.app.screen.query_one(CommandList)
        while found.option_count != len(HOSTILE):
            await pilot.pause(0.02)
        shown = ""
        for place in (*range(0, len(HOSTILE), 5), len(HOSTILE) - 1):
            found.highlighted = place
            await pilot.pause()
            rows = screen_text(pilot)
            assert not has_invisible(rows.replace("\n", ""))
            shown += rows
        words = " ".join(shown.split())
        expected = {text: " ".join(f"tag: {visible_line(text)[:30]}".split()) for text in HOSTILE.values()}
        assert [text for text, entry in expected.items() if entry not in words] == []


async def test_the_fields_and_messages_of_the_queue_show_them_literally(hostile_session: ReviewSession) -> None:
    async with reviewing(hostile_session, (120, 30)) as pilot:
        await press(pilot, "o")
        for text in map(HOSTILE.__getitem__, ("clipboard write", "closing path", "bidi override", "lone surrogate")):
            for field, taken in (("g", "enter"), ("slash", "tab")):
                await press(pilot, field)
                pilot.app.post_message(events.Paste(text))
                await press(pilot, taken)
                assert not has_invisible(screen_text(pilot).replace("\n", "")), (field, text)
                await press(pilot, "escape")
                if not isinstance(pilot.app.screen, QueueScreen):  # what was written is a place: the field was closed
                    await press(pilot, "o")
