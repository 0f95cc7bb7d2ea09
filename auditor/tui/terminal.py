"""What the environment tells of the terminal: whether it can show screens, and whether anything should move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from auditor.tui.setup import Setup

_NO_SCREEN = ("dumb", "unknown")
_SSH = ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")


def cannot_show_screens(environ: Mapping[str, str]) -> str | None:
    """Return why a terminal shows no screens; None when it does."""
    term = environ.get("TERM", "")
    return f"this terminal cannot show screens (TERM is {term})." if term in _NO_SCREEN else None


def is_far(environ: Mapping[str, str]) -> bool:
    """Say whether the terminal is on another machine."""
    return any(environ.get(name) for name in _SSH)


def animation_level(setup: Setup, environ: Mapping[str, str]) -> Literal["none", "full"] | None:
    """Return how much may move; None leaves it to Textual, which reads TEXTUAL_ANIMATIONS."""
    chosen = setup.settings.animations
    nearer = setup.sources.get("animations", "").startswith(("--", "AUDITOR_"))
    if environ.get("TEXTUAL_ANIMATIONS") and not nearer:
        return None
    if chosen == "auto":
        return "none" if is_far(environ) else "full"
    return "full" if chosen == "on" else "none"
