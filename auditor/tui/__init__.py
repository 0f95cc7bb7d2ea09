"""The screens. Textual is imported here only, and only when a screen is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.audit.review import ReviewSession


def run_review(session: ReviewSession) -> int:
    """Let a person review a queue in the terminal until they leave; return the exit code.

    The caller opened the session and closes it.
    """
    from auditor.tui.app import ReviewApp

    return ReviewApp(session).run() or 0
