"""What a model is asked: whether a program violates a rule, or what its variables are at the end.

The prompt holds grammar and whole semantics in the notation in which the program is written, so that a program with
swapped or unseen symbols is judged by rules that were rewritten with it.
"""

from __future__ import annotations

import functools
from enum import Enum
from typing import NamedTuple

from auditor.studies.prex.cstar.ebnf import grammar_text
from auditor.studies.prex.cstar.notation import STANDARD, Notation
from auditor.studies.prex.cstar.rules import Formalism, semantics_text
from auditor.studies.prex.cstar.syntax_kind import Syntax

PROGRAM_PLACE = "@PROGRAM@"
"""What stands in the place of the program where a prompt is given for any."""


class Strategy(Enum):
    """How an answer is asked for."""

    DIRECT = "da"
    """The answer alone."""
    CHAIN_OF_THOUGHT = "cot"
    """The reasons first."""


class Prompt(NamedTuple):
    """The messages of one question."""

    system: str
    user: str

    def about(self, source: str) -> Prompt:
        """Return the prompt with a program in its place."""
        return Prompt(self.system, self.user.replace(PROGRAM_PLACE, source.rstrip("\n"), 1))


_SYSTEM = (
    "You know the formal semantics of programming languages, and you follow the rules you are given to the letter."
)
_KIND = {
    Formalism.S: "a small-step operational semantics",
    Formalism.K: "rewriting rules in the style of the K framework",
}
_OPENING = """\
Act as an interpreter of a small language. Its grammar and its semantics, {kind}, are given below. They alone say \
what a program does: where a symbol means something else here than in languages you know, what is written here holds. \
All rules are numbered.

<grammar>
{grammar}</grammar>

<semantics>
{semantics}</semantics>

<program>
{program}
</program>

"""
_VERDICT_TASK = """\
Execute the program by the rules. Decide whether it runs to its end, or whether one of the rules that state an error \
applies; then the execution stops at once, and that rule is the one that is violated.

"""
_VERDICT_FORM = """\
If no such rule applies, answer
<ans>##success##</ans>
If one applies, answer with its number N:
<ans>##error##</ans><rule>N</rule>
"""
_STATE_TASK = """\
Execute the program by the rules, and give the value that every variable of the program has when the execution is over.

"""
_STATE_FORM = """\
Write one element for each variable, in the order in which they are declared; for i and n that are 4 and 0:
<answer><i>4</i><n>0</n></answer>
If a rule that states an error applies, answer <answer>##error##</answer>. If the program never ends, answer \
<answer>##timeout##</answer>.
"""
_DIRECT = "Write nothing but the answer.\n"
_REASONS = "First go through the execution in <reason> and </reason>, citing the rules; then give the answer.\n"


def executability_prompt(
    formalism: Formalism, notation: Notation = STANDARD, strategy: Strategy = Strategy.DIRECT
) -> Prompt:
    """Return the prompt of PrEx: does the program violate a rule, and which? The program's place is open."""
    return Prompt(_SYSTEM, _opening(formalism, notation) + _VERDICT_TASK + _ending(strategy, _VERDICT_FORM))


def final_state_prompt(
    formalism: Formalism, notation: Notation = STANDARD, strategy: Strategy = Strategy.DIRECT
) -> Prompt:
    """Return the prompt of PLSemanticsBench's final-state task; the program's place is open."""
    return Prompt(_SYSTEM, _opening(formalism, notation) + _STATE_TASK + _ending(strategy, _STATE_FORM))


@functools.cache
def _opening(formalism: Formalism, notation: Notation) -> str:
    return _OPENING.format(
        kind=_KIND[formalism],
        grammar=grammar_text(Syntax.LIBERAL, notation),
        semantics=semantics_text(formalism, notation),
        program=PROGRAM_PLACE,
    )


def _ending(strategy: Strategy, form: str) -> str:
    return form + (_DIRECT if strategy is Strategy.DIRECT else _REASONS)
