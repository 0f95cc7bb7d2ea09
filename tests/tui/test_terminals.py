"""What the environment says of a terminal: colours left out, what may move, what cannot be shown."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from auditor.audit.review import ReviewSession
from auditor.configuration.settings import Settings
from auditor.tui.colors import NoColors, contrast
from auditor.tui.setup import Setup
from auditor.tui.terminal import animation_level, cannot_show_screens
from tests.tui.driving import press, reviewing

SSH = {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}


@pytest.mark.parametrize(
    ("setting", "source", "environ", "level"),
    [
        ("auto", None, {}, "full"),
        ("auto", None, SSH, "none"),
        ("auto", None, {"SSH_TTY": "/dev/pts/1"}, "none"),
        ("on", "config.toml:1", SSH, "full"),
        ("off", "config.toml:1", {}, "none"),
        ("on", "config.toml:1", {"TEXTUAL_ANIMATIONS": "none"}, None),
        ("auto", None, SSH | {"TEXTUAL_ANIMATIONS": "basic"}, None),
        ("off", "AUDITOR_ANIMATIONS", {"TEXTUAL_ANIMATIONS": "full"}, "none"),
    ],
)
def test_what_may_move(setting: str, source: str | None, environ: Mapping[str, str], level: str | None) -> None:
    sources = {} if source is None else {"animations": source}
    assert animation_level(Setup(Settings(animations=setting), sources), environ) == level


def test_terminals_without_screens_are_known_by_their_name() -> None:
    assert cannot_show_screens({"TERM": "dumb"}) == "this terminal cannot show screens (TERM is dumb)."
    assert cannot_show_screens({"TERM": "xterm"}) is None
    assert cannot_show_screens({}) is None


def test_the_contrast_of_black_and_white_is_21() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)


@pytest.mark.parametrize(
    ("style", "reverse"),
    [
        ("bold #ffffff on #121212", False),
        ("#121212 on #87afd7", True),
        ("bold underline #87d787 on #005f00", True),
        ("#d78787 on #5f0000", True),
        ("#d0d0d0 on #303030", True),
        ("#d0d0d0", False),
    ],
)
def test_without_colours_what_stood_on_a_ground_of_its_own_is_in_reverse(style: str, reverse: bool) -> None:
    before = Style.parse(style)
    (segment,) = NoColors().apply([Segment("x", before)], Color.parse("#121212"))
    after = segment.style
    assert after is not None and after.color is not None and after.bgcolor is not None
    assert after.color.is_default and after.bgcolor.is_default
    assert bool(after.reverse) is reverse
    assert (after.bold, after.underline) == (before.bold, before.underline)


async def test_no_cell_of_a_screen_has_a_colour_under_no_color(
    session: ReviewSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with reviewing(session, (160, 50)) as pilot:
        for key in ("1", "question_mark", "escape", "ctrl+p"):
            await press(pilot, key)
            for strip in pilot.app.screen._compositor.render_strips():
                for segment in strip:
                    style = segment.style
                    assert style is None or style.color is None or style.color.is_default
                    assert style is None or style.bgcolor is None or style.bgcolor.is_default


async def test_leaving_takes_the_key_twice_where_that_is_set(session: ReviewSession) -> None:
    async with reviewing(session, setup=Setup(Settings(confirm_quit=True))) as pilot:
        await press(pilot, "q")
        assert pilot.app.is_running and pilot.app.return_value is None
        await press(pilot, "j", "q", "q")
        assert pilot.app.return_value == 0
