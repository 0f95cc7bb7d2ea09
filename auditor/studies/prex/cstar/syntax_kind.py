"""The two syntaxes of C*."""

from __future__ import annotations

from enum import Enum


class Syntax(Enum):
    """Which texts count as programs."""

    STRICT = "strict"
    """Every operation in parentheses, an `else` for every `if`, a semicolon behind every statement."""
    LIBERAL = "liberal"
    """Also what a C programmer writes: precedence, `int a, b`, `if` without `else`, missing semicolons."""
