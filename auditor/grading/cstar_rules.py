"""The numbered rules of C* in its two formalisms, S (small-step) and K: only what naming a wrong rule needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from auditor.model import Scalar

CSTAR_LANGUAGES = frozenset({"cstar", "c*", "imp"})
"""What tasks call the language."""


class Formalism(NamedTuple):
    """One semantics: its families as (name, first, last), the error rules by error."""

    name: str
    rules: int
    families: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    errors: dict[str, tuple[int, ...]]

    def family(self, rule: int) -> str | None:
        """Return the family of a rule; None when there is no such rule."""
        for name, ranges in self.families:
            if any(first <= rule <= last for first, last in ranges):
                return name
        return None

    def error(self, rule: int) -> str | None:
        """Return which error the rule states; None when it states none."""
        return next((error for error, rules in self.errors.items() if rule in rules), None)


SMALL_STEP = Formalism(
    "S",
    78,
    (
        ("reading a variable", ((1, 2),)),
        ("declaration", ((3, 3),)),
        ("assignment", ((4, 6),)),
        ("arithmetic", ((7, 27),)),
        ("comparison", ((28, 51),)),
        ("logic", ((52, 62),)),
        ("sequence", ((63, 63),)),
        ("conditional", ((64, 66),)),
        ("loop", ((67, 70), (77, 77))),
        ("break and continue", ((71, 76),)),
        ("halt", ((78, 78),)),
    ),
    {
        "use before declaration": (2, 6),
        "division by zero": (19,),
        "modulo by zero": (23,),
        "continue outside a loop": (76,),
        "break outside a loop": (73,),
    },
)

K_FRAMEWORK = Formalism(
    "K",
    36,
    (
        ("reading a variable", ((1, 2),)),
        ("arithmetic", ((3, 11),)),
        ("comparison", ((12, 17),)),
        ("logic", ((18, 20),)),
        ("assignment", ((21, 21),)),
        ("conditional", ((22, 23),)),
        ("loop", ((24, 25),)),
        ("halt", ((26, 26),)),
        ("break and continue", ((27, 35),)),
        ("declaration", ((36, 36),)),
    ),
    {
        "use before declaration": (2,),
        "division by zero": (7,),
        "modulo by zero": (9,),
        "continue outside a loop": (31,),
        "break outside a loop": (34,),
    },
)


_CALLED = {"S": SMALL_STEP, "SOS": SMALL_STEP, "K": K_FRAMEWORK}


def formalism_of(facets: Mapping[str, Scalar]) -> Formalism | None:
    """Return the semantics that a task's facet `semantics` names; None where it names neither."""
    return _CALLED.get(str(facets.get("semantics")).upper())


def formalisms_of(rule: int) -> tuple[Formalism, ...]:
    """Return the formalisms in which `rule` states an error: one, or both for Rule 2; both when neither."""
    both = (SMALL_STEP, K_FRAMEWORK)
    return tuple(each for each in both if each.error(rule)) or both
