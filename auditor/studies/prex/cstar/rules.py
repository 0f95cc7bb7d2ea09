"""The rules of C* as data: S, small-step operational semantics with 78 rules, and K, rewriting with 36.

Screens, prompts and interpreters read this one table. Symbols of the programs' language stand in backquotes, so that a
notation can respell them without touching the arithmetic of the semantics themselves.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from enum import Enum

from auditor.errors import InputError
from auditor.grading.cstar_rules import K_FRAMEWORK, SMALL_STEP
from auditor.grading.cstar_rules import Formalism as RuleNumbers
from auditor.studies.prex.cstar import k_rules, small_step_rules
from auditor.studies.prex.cstar.notation import STANDARD, Notation

_SYMBOL = re.compile(r"`([^`]*)`")


class Formalism(Enum):
    """The two ways in which the semantics are given."""

    S = "S"
    K = "K"

    @property
    def numbers(self) -> RuleNumbers:
        """How many rules it has, their families, and which state an error."""
        return SMALL_STEP if self is Formalism.S else K_FRAMEWORK


@dataclass(frozen=True, slots=True)
class Rule:
    """One numbered rule. Its texts hold symbols of C* in backquotes, in the standard spelling."""

    formalism: Formalism
    number: int
    name: str
    premise: str
    """What must hold (S) or is required (K); empty when nothing is."""
    conclusion: str
    """The transition or the rewriting."""
    text: str
    """The rule in words."""

    @property
    def label(self) -> str:
        """How answers cite it."""
        return f"Rule {self.number}"

    @property
    def group(self) -> str:
        """What the rule is about, e.g. `arithmetic`."""
        family = self.formalism.numbers.family(self.number)
        assert family is not None
        return family

    @property
    def error(self) -> str | None:
        """The error that it states, e.g. `division by zero`; None when it states none."""
        return self.formalism.numbers.error(self.number)

    def formal(self, notation: Notation = STANDARD) -> str:
        """Return the formal text in a notation: in S the premise over a bar, in K the condition behind `requires`."""
        premise, conclusion = respelled(self.premise, notation), respelled(self.conclusion, notation)
        if not premise:
            return conclusion
        if self.formalism is Formalism.K:
            return f"{conclusion}\n  requires {premise}"
        width = max(len(premise), len(conclusion))
        return f"{premise.center(width).rstrip()}\n{'─' * width}\n{conclusion.center(width).rstrip()}"

    def formal_line(self, notation: Notation = STANDARD) -> str:
        """Return the formal text in one line, for tables."""
        premise, conclusion = respelled(self.premise, notation), respelled(self.conclusion, notation)
        if not premise:
            return conclusion
        return f"{conclusion} requires {premise}" if self.formalism is Formalism.K else f"{premise} ⟹ {conclusion}"

    def words(self, notation: Notation = STANDARD) -> str:
        """Return the rule in words, with symbols of a notation."""
        return respelled(self.text, notation)


def respelled(text: str, notation: Notation) -> str:
    """Return a text of the rules with its symbols in a notation, and without the backquotes around them."""
    return _SYMBOL.sub(lambda found: notation.spell(found[1]), text)


@functools.cache
def rules_of(formalism: Formalism) -> tuple[Rule, ...]:
    """Return all rules of a formalism, Rule 1 first."""
    rows = small_step_rules.ROWS if formalism is Formalism.S else k_rules.ROWS
    return tuple(Rule(formalism, number, *row) for number, row in enumerate(rows, 1))


def semantics_text(formalism: Formalism, notation: Notation = STANDARD) -> str:
    """Return the whole semantics as a text: how to read the rules, then each with its number, formally and in words."""
    home = small_step_rules if formalism is Formalism.S else k_rules
    parts = [respelled(home.INTRODUCTION, notation)]
    parts += [f"{one.label}\n{one.formal(notation)}\n{one.words(notation)}" for one in rules_of(formalism)]
    return "\n\n".join(parts) + "\n"


def rule(formalism: Formalism, number: int) -> Rule:
    """Return one rule; raises InputError where there is none of this number."""
    rules = rules_of(formalism)
    if not 1 <= number <= len(rules):
        raise InputError(f"{formalism.value} has no Rule {number}.", hint=f"Its rules are 1 to {len(rules)}.")
    return rules[number - 1]
