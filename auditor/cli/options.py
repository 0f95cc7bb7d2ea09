"""Options and arguments that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

audit_file = click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
"""The audit file, always the first argument."""
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
quiet = click.option("--quiet", is_flag=True, help="Show no progress.")

config_file = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The settings file, with key map and themes beside it; see: auditor config path.",
)


def screen(function: F) -> F:
    """Add the options of a command that opens a screen: settings file, theme, mouse."""
    for option in (
        click.option("--mouse/--no-mouse", default=None, help="Whether the screen takes the mouse."),
        click.option("--theme", metavar="NAME", help="The theme of the screen; see: auditor themes list."),
        config_file,
    ):
        function = option(function)
    return function


def where(
    default: str = "", text: str = "Only the items that this filter leaves, e.g. 'status:wrong loc<20'."
) -> Callable[[F], F]:
    """Return the option `--where EXPR`."""
    return click.option("--where", metavar="EXPR", default=default, show_default=bool(default), help=text)


replay_unsafe = click.option(
    "--unsafe", is_flag=True, help="Replay programs also where the system offers no wall around them, as you."
)

COUNT = click.IntRange(1, 1_000_000_000)
"""A number of things, or the place of one."""


class FiniteRange(click.FloatRange):
    """A number within bounds; "nan" is none, which no comparison with a bound would notice."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


confidence = click.option(
    "--confidence",
    type=FiniteRange(0.5, 0.9999),
    metavar="P",
    default=0.95,
    show_default=True,
    help="Confidence of the intervals.",
)


def bootstrap(function: F) -> F:
    """Add the options of a bootstrap: replicates, seed, confidence."""
    for option in (
        confidence,
        click.option(
            "--seed",
            type=click.IntRange(0),
            metavar="N",
            default=20_261_011,
            show_default=True,
            help="Seed of the bootstrap.",
        ),
        click.option(
            "--replicates",
            type=click.IntRange(100, 1_000_000),
            metavar="N",
            default=10_000,
            show_default=True,
            help="Bootstrap replicates.",
        ),
    ):
        function = option(function)
    return function
