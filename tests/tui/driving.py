"""Drive the review app without a terminal and read its screen."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.events import Key
from textual.geometry import Size
from textual.keys import key_to_character
from textual.pilot import Pilot
from textual.widget import Widget

from auditor.audit.review import ReviewSession
from auditor.tui.app import ReviewApp
from auditor.tui.screens.review import ReviewScreen
from auditor.tui.setup import Setup


@asynccontextmanager
async def reviewing(
    session: ReviewSession, size: tuple[int, int] = (120, 40), setup: Setup | None = None
) -> AsyncIterator[Pilot[int]]:
    """Run the app on a session, ready for the first key."""
    app = ReviewApp(session, setup)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


_QUIET_ROUNDS = 3
"""Rounds in which no widget has a message: one handler may send another widget what it sends a third one."""


async def settle(pilot: Pilot[int]) -> None:
    """Wait until nothing is left to do.

    Textual's own pause is over when this process has had no processor for a moment, which on a busy machine says
    nothing; so every widget is asked whether it has messages, until none has.
    """
    app = pilot.app
    assert isinstance(app, ReviewApp)
    quiet = 0
    # Of an app that ends nobody looks at the messages that are left.
    while quiet < _QUIET_ROUNDS and app.failure is None and not app._exit:
        # A new size is told to the screen only when no other has come for a moment.
        if app.is_busy or app._resize_event is not None or any(not worker.is_finished for worker in app.workers):
            await asyncio.sleep(0.005)
            quiet = 0
            continue
        # When it is over, each widget has handled what it had.
        await pilot.pause(0)
        quiet = quiet + 1 if _is_at_rest(app) else 0
    await pilot.pause()
    if app.failure is not None:
        # Nothing more will come: what waited for it would wait for ever.
        raise app.failure


def _is_at_rest(app: ReviewApp) -> bool:
    """Say whether no widget has a message, and nothing is to be laid out."""
    if app.screen._layout_required or app.screen._callbacks:
        return False
    nodes = [app, *(node for screen in app.screen_stack for node in screen.walk_children(with_self=True))]
    return all(node._message_queue.empty() for node in nodes)


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Put keys into the app's queue all at once, as a terminal does with what was typed ahead; wait for the end."""
    for key in keys:
        pilot.app.post_message(Key(key, key_to_character(key)))
    # On a busy machine a pause can be over before the app has looked at the keys.
    taken = asyncio.Event()
    if pilot.app.call_later(taken.set):
        waits = [asyncio.create_task(event.wait()) for event in (taken, pilot.app._exception_event)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
    await settle(pilot)


async def resize(pilot: Pilot[int], columns: int, rows: int) -> None:
    """Give the terminal another size and wait until the screen has followed."""
    await pilot.resize_terminal(columns, rows)
    while pilot.app.screen.size != Size(columns, rows):
        await asyncio.sleep(0.005)
    await settle(pilot)
    await pilot.pause()


async def go_to(pilot: Pilot[int], case: str, arm: str = "output") -> int:
    """Go to an item with the key for the next one; return its index."""
    screen = screen_of(pilot)
    for index in range(len(screen.session)):
        key = screen.session.item(index).key
        if (key.case, key.arm) == (case, arm):
            steps = index - screen.index
            if steps:
                await press(pilot, *["j" if steps > 0 else "k"] * abs(steps))
            return index
    raise AssertionError(f"there is no item {case}/{arm}")


def screen_of(pilot: Pilot[int]) -> ReviewScreen:
    """Return the review screen."""
    screen = pilot.app.screen
    assert isinstance(screen, ReviewScreen)
    return screen


def screen_text(pilot: Pilot[int]) -> str:
    """Return all that is on the screen, one line a row."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips) + "\n"


def widget_text(widget: Widget) -> list[str]:
    """Return the rows that a widget draws."""
    return ["".join(segment.text for segment in strip).rstrip() for strip in widget.render_lines(widget.size.region)]
