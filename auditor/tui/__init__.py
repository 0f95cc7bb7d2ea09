"""The screens. Textual is imported here only, and only when a screen is opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from auditor.errors import AuditorError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.review import ReviewSession
    from auditor.configuration.configuration import Configuration


def run_review(session: ReviewSession, configuration: Configuration) -> int:
    """Let a person review a queue in the terminal until they leave; return the exit code.

    The caller opened the session and closes it. Raises AuditorError when an error ended the screen, or the error
    itself where AUDITOR_DEBUG asks for it.
    """
    from auditor.tui.app import ReviewApp
    from auditor.tui.setup import set_up

    setup = set_up(configuration, {choice.key: choice.name for choice in session.choices if choice.key})
    app = ReviewApp(session, setup)
    app.adapt_to_terminal()
    code = app.run(mouse=setup.settings.mouse)
    if app.failure is None:
        return code or 0
    if os.environ.get("AUDITOR_DEBUG"):
        raise app.failure
    what = f"{type(app.failure).__name__}: {visible_line(str(app.failure), 300)}"
    raise AuditorError(
        f"an error of the program ended the review ({what}). What you entered is kept: open the review again.",
        "Set AUDITOR_DEBUG=1 to see where it was, and please report it.",
    ) from app.failure
