"""Agreement and adjudication under random keys, pastes, clicks and sizes: nothing fails, and the history stays true."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from textual.events import Key, Paste
from textual.keys import key_to_character
from textual.pilot import Pilot
from textual.screen import Screen

from auditor.audit.adjudicate import AdjudicationWish
from auditor.audit.review import QueueWish, open_session
from auditor.codebook import FREE_KEYS, Codebook, Tag
from auditor.store.annotators import ensure_annotator
from auditor.store.codebook_revisions import ensure_codebook
from auditor.store.file import open_file, transaction
from auditor.store.history import Actor, act, uuid7
from auditor.store.replay import replay_differences
from auditor.store.reviews import PutTags
from auditor.tui.screens.acting import ActingScreen
from auditor.tui.screens.page import PageScreen
from tests.builders import make_audit
from tests.hostile import HOSTILE
from tests.tui.driving import press, reviewing, screen_text, settle
from tests.tui.test_adjudication_screen import adjudicating, has_controls

# fmt: off
KEYS = [
    "enter", "backspace", "space", "escape", "tab", "shift+tab", "up", "down", "left", "right", "home", "end",
    "pageup", "pagedown", "delete", "asterisk", "minus", "plus", "j", "k", "n", "v", "e", "i", "r", "s", "u",
    "A", "B", "F", "ctrl+r", "question_mark", "percent_sign", "equals_sign", "number_sign", "w", "x", "h",
    "o", "slash", "c", "1", "0",
]
# fmt: on
SIZES = [(80, 24), (20, 8), (120, 40), (160, 50), (40, 12)]
STEPS = 8


def fuzzed_audit(path: Path, random: Random, annotators: int, tags: int) -> Path:
    """Make a file in which so many annotators, of hostile names and notes, put tags of a codebook of so many."""
    make_audit(path, cases=5, settings=("model-a",))
    texts = list(HOSTILE.values())
    keys = [*FREE_KEYS[:tags], *[""] * (tags - len(FREE_KEYS))]
    book = Codebook(
        "odd",
        "odd",
        "",
        tuple(Tag(f"t{n}", f"tag {n}", key, definition="odd", retired=not key) for n, key in enumerate(keys)),
    )
    connection = open_file(path)
    with closing(connection), transaction(connection):
        stored = ensure_codebook(connection, book)
        for number in range(annotators):
            actor = Actor(ensure_annotator(connection, f"a{number}{random.choice(texts)}"), stored)
            for item in random.sample(range(1, 6), 4):
                put = tuple(tag.id for tag in book.tags if random.random() < 0.3)
                intent = PutTags(put, random.choice(texts) or None)
                act(connection, actor, item, intent, uuid=uuid7(), at="2026-01-01T00:00:00.000Z", origin="import")
    return path


async def disturb(pilot: Pilot[int], random: Random) -> None:
    """Do one thing or several at once: keys, a paste, a click, another size."""
    kind = random.random()
    if kind < 0.75:
        await press(pilot, *random.choices(KEYS, k=random.randint(1, 3)))
    elif kind < 0.85:
        pilot.app.post_message(Paste(random.choice(list(HOSTILE.values()))))
        pilot.app.post_message(Key("x", key_to_character("x")))
        await settle(pilot)
    elif kind < 0.95:
        width, height = pilot.app.size
        await pilot.click(offset=(random.randrange(width), random.randrange(height)), times=random.randint(1, 2))
        await settle(pilot)
    else:
        await pilot.resize_terminal(*random.choice(SIZES))
        await settle(pilot)


async def fuzz(pilot: Pilot[int], random: Random, kind: type[Screen[None]], opening: str) -> None:
    """Disturb a screen; where something led away from it, go back."""
    for _ in range(STEPS):
        await disturb(pilot, random)
        assert pilot.app._running
        assert not has_controls(screen_text(pilot))
        screen = pilot.app.screen
        if isinstance(screen, ActingScreen):
            assert "This failed" not in screen_text(pilot)
        elif not isinstance(screen, PageScreen):
            await press(pilot, "escape")
        if not isinstance(pilot.app.screen, kind) and opening and random.random() < 0.3:
            await press(pilot, "escape", opening)


def holds(path: Path) -> None:
    connection = open_file(path)
    with closing(connection):
        assert not list(replay_differences(connection))


@pytest.mark.parametrize(("annotators", "tags", "seed"), [(2, 40, 1), (5, 3, 2)])
async def test_adjudication(tmp_path: Path, annotators: int, tags: int, seed: int) -> None:
    random = Random(seed)
    path = fuzzed_audit(tmp_path / "a.db", random, annotators, tags)
    async with adjudicating(path, random.choice(SIZES), AdjudicationWish(codebook="odd")) as pilot:
        await fuzz(pilot, random, ActingScreen, "")
    holds(path)


@pytest.mark.parametrize(("annotators", "tags", "seed"), [(1, 1, 1), (5, 40, 2)])
async def test_agreement(tmp_path: Path, annotators: int, tags: int, seed: int) -> None:
    random = Random(seed)
    path = fuzzed_audit(tmp_path / "a.db", random, annotators, tags)
    with closing(open_session(path, "me", QueueWish(where="", order="import", codebook="odd"))) as session:
        async with reviewing(session, random.choice(SIZES)) as pilot:
            await press(pilot, "percent_sign")
            await fuzz(pilot, random, ActingScreen, "percent_sign")
    holds(path)
