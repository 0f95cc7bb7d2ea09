"""The screens. Textual is imported here only, and only when a screen is opened."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from auditor.collector import collect_from_now_on, collector_at_rest
from auditor.errors import AuditorError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.adjudication import Adjudication
    from auditor.audit.review import ReviewSession
    from auditor.configuration.configuration import Configuration
    from auditor.tui.app import ReviewApp
    from auditor.tui.setup import Setup


_SWITCH_SECONDS = 0.0005
"""How long a thread that looks for items keeps the interpreter while a key waits for it; a key waits some ten times."""


def _run_beside_other_threads(run: Callable[[], int | None]) -> int | None:
    """Run the screens so that no other thread holds up a key."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        return run()
    finally:
        gc.unfreeze()
        sys.setswitchinterval(usual)


@collector_at_rest()
def run_review(
    session: ReviewSession, configuration: Configuration, *, begins_with_agreement: bool = False, unsafe: bool = False
) -> int:
    """Let a person review a queue in the terminal until they leave; return the exit code.

    `unsafe` replays programs also where no wall keeps them from harm. The caller opened the session and closes it.
    Raises AuditorError when an error ended the screen, or the error itself where AUDITOR_DEBUG asks for it.
    """
    from auditor.audit.queue_ids import STARTING_SECONDS

    # First of all: what is imported now is half of what a person waits for.
    session.make_way(STARTING_SECONDS)
    from auditor.tui.app import ReviewApp

    return _run_app(session, configuration, ReviewApp, begins_with_agreement=begins_with_agreement, unsafe=unsafe)


@collector_at_rest()
def run_adjudication(
    session: ReviewSession,
    adjudication: Adjudication,
    configuration: Configuration,
    *,
    names_shown: bool = False,
    unsafe: bool = False,
) -> int:
    """Let a person decide what annotators differ on until they leave; return the exit code.

    The caller opened session and adjudication and closes them. Raises AuditorError as `run_review` does.
    """
    from auditor.tui.app import ReviewApp
    from auditor.tui.screens.adjudication import AdjudicationScreen

    first = partial(AdjudicationScreen, adjudication=adjudication, names_shown=names_shown)
    return _run_app(session, configuration, partial(ReviewApp, first_screen=first), unsafe=unsafe)


def _run_app(
    session: ReviewSession,
    configuration: Configuration,
    make: Callable[[ReviewSession, Setup], ReviewApp],
    *,
    begins_with_agreement: bool = False,
    unsafe: bool = False,
) -> int:
    """Run the app in the terminal; its error becomes one of this program."""
    from auditor.tui.setup import set_up

    setup = set_up(configuration, {choice.key: choice.name for choice in session.choices if choice.key})
    app = make(session, replace(setup, begins_with_agreement=begins_with_agreement, unsafe=unsafe))
    # No walk over all that was imported holds up the first paint, or a key later.
    app.when_ready = collect_from_now_on
    app.adapt_to_terminal()
    code = _run_beside_other_threads(partial(app.run, mouse=setup.settings.mouse))
    if app.failure is None:
        return code or 0
    if os.environ.get("AUDITOR_DEBUG"):
        raise app.failure
    what = f"{type(app.failure).__name__}: {visible_line(str(app.failure), 300)}"
    raise AuditorError(
        f"an error of the program ended the review ({what}). What you entered is kept: open the review again.",
        "Set AUDITOR_DEBUG=1 to see where it was, and please report it.",
    ) from app.failure
