"""`auditor review`: open the review screen."""

from __future__ import annotations

import importlib
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from auditor.cli import options
from auditor.cli.output import WaitingLine, print_text
from auditor.collector import collector_at_rest
from auditor.errors import AuditFileError, AuditorError, InputError, InterruptedWorkError
from auditor.text import visible_line

if TYPE_CHECKING:
    from auditor.audit.review import ReviewSession
    from auditor.configuration.configuration import Configuration


@click.command("review")
@options.audit_file
@click.option("--annotator", metavar="NAME", help="Whose tags these are; default: the setting `annotator`.")
@click.option("--codebook", metavar="C", help="A codebook by name or file; default: the one that the study declares.")
@options.where("status:wrong")
@click.option(
    "--order",
    metavar="O",
    help="smallest (fewest lines of program first), random (by --seed), disagreement (where annotators differ most),"
    " computed (by computed mode) or import (as imported); default: smallest, with --blind or --again random.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random order.")
@click.option("--take", type=options.COUNT, metavar="K", help="Only the first K of each group.")
@click.option(
    "--per", metavar="FACETS", default="", help="The dimensions that make the groups of --take, separated by commas."
)
@click.option("--again", metavar="N", help="Bring so many of your own reviewed items back as fresh ones: 5% or 12.")
@click.option("--now", is_flag=True, help="With --again: also those that you reviewed less than a day ago.")
@click.option("--blind", is_flag=True, help="Hide setting, arm, verdict and computed mode; random order of your own.")
@click.option(
    "--overlap",
    type=options.COUNT,
    metavar="N",
    help="Take the items that fewer than N others have reviewed or hold; everybody on the file gives it.",
)
@click.option("--assigned", is_flag=True, help="Only what is assigned to NAME; see: auditor assign.")
@click.option("--stale", is_flag=True, help="Only NAME's items that need another look since the codebook changed.")
@click.option("--timer/--no-timer", default=None, help="Whether to time how long you are at each item.")
@options.replay_unsafe
@options.screen
@collector_at_rest()
def review_command(
    file: Path,
    annotator: str | None,
    codebook: str | None,
    where: str,
    order: str | None,
    seed: int,
    take: int | None,
    per: str,
    again: str | None,
    now: bool,
    overlap: int | None,
    assigned: bool,
    stale: bool,
    blind: bool,
    timer: bool | None,
    unsafe: bool,
    config_path: Path | None,
    theme: str | None,
    mouse: bool | None,
) -> int:
    """Review the items of FILE one by one: one key tags, space is "reviewed" and goes on, u undoes, ? helps.

    Every key press is in the file before the next one. Begin, leave and come back as you like.

    \b
    auditor review audit.db --annotator ana
    auditor review audit.db --annotator ana --where 'status:wrong arm:output' --take 2 --per setting
    auditor review audit.db --annotator ana --blind
    auditor review audit.db --annotator ana --blind --again 5%
    auditor review audit.db --annotator ana --stale
    auditor review audit.db --annotator ana --assigned
    auditor review audit.db --annotator ana --overlap 2
    """
    from auditor.audit.review_queue import QueueWish, check_review
    from auditor.configuration.configuration import load_configuration

    flags: dict[str, str | bool | None] = {"annotator": annotator, "theme": theme, "mouse": mouse, "timer": timer}
    configuration = load_configuration(config_path, flags)
    annotator = configuration.settings.annotator
    if not annotator:
        hint = "Give --annotator NAME, or once and for all: auditor config set annotator NAME"
        raise InputError("whose tags will these be?", hint=hint)
    if now and again is None:
        raise InputError("--now concerns --again, which is not given.", hint="Add e.g. --again 5%.")
    amount = None
    if again is not None:
        from auditor.audit.again import parse_again

        amount = parse_again(again, at_once=now)
    if stale and amount is not None:
        raise InputError("--again and --stale are two different queues.", hint="Leave one of them out.")
    context = click.get_current_context()
    if (stale or assigned) and context.get_parameter_source("where") is ParameterSource.DEFAULT:
        where = ""
    groups = tuple(name.strip() for name in per.split(",") if name.strip())
    wish = QueueWish(
        where=where,
        order=order,
        seed=seed,
        take=take,
        per=groups,
        blind=blind,
        again=amount,
        stale=stale,
        codebook=codebook,
        assigned=assigned,
        overlap=overlap,
    )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        # What else is wrong with the call is said first: it would be wrong in a terminal too.
        check_review(file, annotator, wish)
        raise AuditorError(
            "a review needs a terminal.", "Use `auditor tags put` or `auditor tags import` to tag from a script."
        )
    refuse_without_screens()
    # They are needed when the first item is found, which is mostly looked for by SQLite: that leaves Python free.
    Thread(target=import_screens, name="screens").start()
    from auditor.audit.review import open_session

    try:
        with WaitingLine("looking for the first item") as waiting:
            session = open_session(file, annotator, wish, waiting=waiting)
    except KeyboardInterrupt as interrupt:
        raise InterruptedWorkError("interrupted before the first item was found; nothing was marked.") from interrupt
    options = {"--codebook": codebook, "--order": order, "--seed": seed, "--take": take, "--per": per, "--again": again}
    options |= {"--overlap": overlap, "--config": str(config_path) if config_path else None, "--theme": theme}
    defaults = {"--seed": 0, "--per": ""}
    given = [word for name, value in options.items() if value != defaults.get(name) for word in (name, str(value))]
    if where != ("" if stale or assigned else "status:wrong"):
        given = ["--where", where, *given]
    marks = [("--now", now), ("--blind", blind), ("--stale", stale), ("--assigned", assigned), ("--timer", timer)]
    marks.append(("--unsafe", unsafe))
    given += [name for name, on in marks if on]
    return review_on_screen(session, annotator, configuration, given, unsafe=unsafe)


def import_screens() -> None:
    """Import what shows a review; whatever is wrong with it is met and told again by who shows one."""
    with suppress(Exception):
        importlib.import_module("auditor.tui.app")


def refuse_without_screens() -> None:
    """Raise AuditorError for a terminal that cannot show screens."""
    from auditor.tui.terminal import cannot_show_screens

    if (reason := cannot_show_screens(os.environ)) is not None:
        raise AuditorError(reason, "Set TERM to what the terminal is, such as xterm-256color.")


def review_on_screen(
    session: ReviewSession,
    annotator: str,
    configuration: Configuration,
    options: Sequence[str] = (),
    *,
    unsafe: bool = False,
) -> int:
    """Show a session's screen until the person leaves it, say how far the queue is, and close the session.

    `annotator` and `options` are those of `auditor review` that open the same queue again; `unsafe` says that programs
    are replayed also where no wall keeps them from harm.
    """
    from auditor.audit.review import ReviewState, describe_progress
    from auditor.audit.session_summary import begin_summary, command_of_queue, describe_begun, summarise_session
    from auditor.tui import run_review

    began, drawn = begin_summary(session.path), session.queue
    with closing(session):
        code = run_review(session, configuration, unsafe=unsafe)
        session.retry_pending()
        summary = ""
        with suppress(AuditFileError):  # a file that went away: closing the session says what that means
            summary = summarise_session(session.path, session.annotator, session.codebook_name, began)
        command = ["auditor", "review", str(session.path), "--annotator", annotator, *options]
        chosen = session.queue.selection
        if session.queue is not drawn and chosen is not None and not session.again and session.overlap is None:
            order = "" if chosen.order == ("random" if session.blind else "smallest") else chosen.order
            command = command_of_queue(command, chosen.where, order)
        left = "" if session.queue_progress().is_whole else ", of the items that were found so far"
        counts = session.counts()
        quoted = shlex.quote(str(session.path))
        whole = not left and sum(counts.values()) == counts[ReviewState.REVIEWED]
        again = f"{'Look again' if whole else 'Go on'} with: {' '.join(map(shlex.quote, command))}"
        progress = visible_line(f"{describe_progress(counts)}{left}. {again}")
        begun = describe_begun(counts[ReviewState.IN_PROGRESS], command, blind=session.blind)
        # A terminal that was closed takes no line any more; the review itself ended as it should.
        with suppress(OSError):
            if summary:
                print_text(visible_line(summary))
            if begun:
                print_text(visible_line(begun), wrap=False)
            print_text(progress, wrap=False)
            if whole:
                print_text(visible_line(f"How far people agree: auditor agreement {quoted}"), wrap=False)
    return code
