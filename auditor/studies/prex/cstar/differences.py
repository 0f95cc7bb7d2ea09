"""Where S, K and C differ, as data: what comparing them has to allow, and what an auditor should know."""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """One construct that is not the same everywhere."""

    key: str
    program: str
    """A small program that shows it, in the liberal syntax."""
    small_step: str
    k: str
    c: str
    formalisms_differ: bool
    """Whether S and K end differently; else only C does."""


DIFFERENCES = (
    Difference(
        "assignment-to-undeclared",
        "x = 1;",
        "an error: Rule 6",
        "no rule applies: the program is stuck, which is no verdict",
        "does not compile",
        True,
    ),
    Difference(
        "redeclaration",
        "int x; x = 5; int x;",
        "Rule 3 sets the variable to 0 again",
        "Rule 36, as we read it, is for new variables only: the program is stuck",
        "does not compile in one block; in an inner block it is another variable",
        True,
    ),
    Difference(
        "no-short-circuit",
        "int x; if ((false && ((1 / x) == 1))) { x = 1; } else { x = 2; };",
        "both operands are evaluated: an error, Rule 19",
        "both operands are evaluated: an error, Rule 7",
        "the right operand is not evaluated: x becomes 2",
        False,
    ),
    Difference(
        "start-value",
        "int x; x = (x + 1);",
        "a declared variable is 0",
        "a declared variable is 0",
        "a variable without a value may not be read",
        False,
    ),
    Difference(
        "one-scope",
        "if (true) { int x; x = 3; } else { }; int y; y = x;",
        "a variable lives until the program ends",
        "a variable lives until the program ends",
        "a variable lives until its block ends: this does not compile",
        False,
    ),
    Difference(
        "unbounded-integers",
        "int x; x = ((2147483647 + 1) * 4294967296);",
        "integers have no bounds",
        "integers have no bounds",
        "overflow, which is undefined",
        False,
    ),
    Difference(
        "same-precedence",
        "int x; if (true || true && false) { x = 1; };",
        "&& and || bind alike, from the left: false",
        "&& and || bind alike, from the left: false",
        "&& binds tighter: true",
        False,
    ),
)
"""In the liberal syntax; the last one cannot be written in the strict one."""
