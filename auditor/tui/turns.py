"""What is clicked has its turn among the keys: done after what was typed before it, and before what was typed after."""

from __future__ import annotations

from typing import Any

from textual.message import Message
from textual.screen import Screen


class InTurn(Message, bubble=False):
    """An action of a screen that a click asks for. It is for the app; nothing is done when the screen is gone by then.

    A handler of the screen's own must not do it: one that closes the screen would wait for itself.
    """

    def __init__(self, screen: Screen[Any], action: str) -> None:
        super().__init__()
        self.screen = screen
        self.action = action


def do_in_turn(screen: Screen[Any], action: str) -> None:
    """Let the app do an action of a screen in its turn."""
    screen.app.post_message(InTurn(screen, action))
