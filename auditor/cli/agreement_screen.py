"""`auditor agreement FILE --screen`: the numbers as a screen, from which each has its items."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from auditor.agreement.coefficient import Options
from auditor.cli.output import WaitingLine
from auditor.cli.review import refuse_without_screens
from auditor.errors import AuditorError, InputError, InterruptedWorkError

_NUMBERS_ONLY = ("statistics", "categories", "tags", "groups", "weights", "scores", "metric", "bootstrap", "interval")
"""Options of the table that the screen has no place for."""
_COMPUTED_BY = ("replicates", "seed", "confidence")
"""Numbers that the screen takes as they usually are."""


def open_agreement_screen(file: str | None, options: Mapping[str, Any]) -> int:
    """Show the agreement screen until the person leaves; return the exit code.

    Items are reviewed as the annotator of the settings or of `--annotator`. Raises AuditorError without a terminal,
    and InputError for options that concern the table.
    """
    from auditor.audit.review_queue import QueueWish, check_review
    from auditor.configuration.configuration import load_configuration

    if file is None:
        raise InputError("--screen concerns an audit file, not --ratings.")
    given = next((name for name in _NUMBERS_ONLY if options[name]), None)
    if given is not None or options["as_json"]:
        what = "--json" if given is None else f"--{given.removesuffix('s').replace('categorie', 'category')}"
        raise InputError(f"{what} concerns the table, not --screen.", hint="Leave one of them out.")
    usual = Options()
    other = next((name for name in _COMPUTED_BY if options[name] != getattr(usual, name)), None)
    if other is not None:
        raise InputError(
            f"--{other} concerns the table: the screen computes with --{other} {getattr(usual, other):g}.",
            hint=f"Leave --{other} out, or leave --screen out.",
        )
    flags: dict[str, str | bool | None] = {name: options[name] for name in ("annotator", "theme", "mouse")}
    configuration = load_configuration(options["config_path"], flags)
    annotator = configuration.settings.annotator
    if not annotator:
        hint = "Give --annotator NAME, or once and for all: auditor config set annotator NAME"
        raise InputError("who opens the items behind a number, to review them?", hint=hint)
    path, wish = Path(file), QueueWish(where=options["where"], order="import", codebook=options["codebook"])
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        check_review(path, annotator, wish)
        raise AuditorError("a screen needs a terminal.", "Without --screen the numbers are printed.")
    refuse_without_screens()
    from auditor.audit.review import open_session
    from auditor.tui import run_review

    try:
        with WaitingLine("looking for the first item") as waiting:
            session = open_session(path, annotator, wish, waiting=waiting)
    except KeyboardInterrupt as interrupt:
        raise InterruptedWorkError("interrupted before anything was read.") from interrupt
    with closing(session):
        code = run_review(session, configuration, begins_with_agreement=True)
        session.retry_pending()
        return code
