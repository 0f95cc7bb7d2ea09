"""The values that the comparison pane draws: visible lines, whose they are, and where they differ."""

from __future__ import annotations

from typing import NamedTuple

from auditor.compare.text_diff import TextDiff

MEMO = "✎"
"""What marks a place that has a memo."""


class RoleSpan(NamedTuple):
    """Characters `start:end` of a shown line and the role that decides how they look; "" looks plain."""

    start: int
    end: int
    role: str
    difference: int = -1
    """Number of the difference that they are a part of, from 0; -1 = of none."""


class MarkedLine(NamedTuple):
    """One visible line and whose it is."""

    text: str
    mark: str = " "
    """`=` or `-` the oracle's, `+` the prediction's, `≠` a field that differs."""
    mark_role: str = "gutter"
    spans: tuple[RoleSpan, ...] = ()
    goes_on: bool = False
    """Whether this is a later part of a line of the text, cut to stand above or below its counterpart."""


class Place(NamedTuple):
    """Where a difference begins."""

    line: int
    offset: int = 0


class Comparison(NamedTuple):
    """All that the pane shows."""

    lines: tuple[MarkedLine, ...] = ()
    differences: tuple[Place, ...] = ()
    headline: str = ""
    """A few words for the title where nothing differs, e.g. `all fields equal`."""
    note: str = ""
    """What the reader must know of the comparison itself, e.g. that it is not exact."""
    remark: str = ""
    """What helps to read it, e.g. that what is dim does not count."""
    title: str = "Oracle and prediction"
    """The pane's name; with the marks where the lines have no columns that name them."""
    look_alikes: tuple[str, ...] = ()
    """Sentences on differences that cannot be seen."""
    texts: tuple[str, str] = ("", "")
    """The oracle and the prediction that are compared as texts: one as a value may have its fields in another order."""
    diff: TextDiff | None = None
    """What both texts share, piece by piece, where they are compared as texts: one piece that counts
    a difference."""
    standing: str = ""
    """What stands in place of a verdict where none is to be had."""
