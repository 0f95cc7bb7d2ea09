"""Options that `auditor regress` and `auditor associate` share: the outcome, and whose tags answer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auditor.errors import InputError

if TYPE_CHECKING:
    from auditor.audit.outcomes import Question

F = TypeVar("F", bound=Callable[..., Any])


def names(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """Split names at commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))


def whose_tags(function: F) -> F:
    """Add the options that say whose tags answer an outcome that asks for one."""
    for option in (
        click.option(
            "--with-correct", is_flag=True, help="Right answers that nobody reviewed count as ones without any tag."
        ),
        click.option("--adjudicated", is_flag=True, help="Only final tags: agreed by all or adjudicated."),
        click.option(
            "--annotator",
            "annotators",
            metavar="NAME",
            multiple=True,
            help="Whose tags; repeat for several. Default: every person's, and what is final.",
        ),
        click.option(
            "--codebook", metavar="NAME", help="The codebook of the tags; default: the only one with reviews."
        ),
    ):
        function = option(function)
    return function


def question(function: F) -> F:
    """Add the options that say what is asked of each response."""
    return click.option(
        "--outcome",
        metavar="EXPR",
        default="status:wrong",
        show_default=True,
        help="What is asked of each response, e.g. mode.computed:off_by_one or tag:arithmetic.",
    )(whose_tags(function))


def question_of(
    outcome: str | None, codebook: str | None, annotators: tuple[str, ...], adjudicated: bool, with_correct: bool
) -> Question | None:
    """Return the options as a question, None without an outcome; raises InputError where one is missing."""
    from auditor.audit.outcomes import Question

    if outcome is None:
        if codebook or annotators or adjudicated or with_correct:
            raise InputError("--annotator, --adjudicated, --codebook and --with-correct are for an --outcome.")
        return None
    return Question(outcome, codebook, tuple(dict.fromkeys(annotators)), adjudicated, with_correct)
