"""The five kinds of errors that are planted, and the rules that they violate."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from auditor.studies.prex.cstar.rules import Formalism


class PlantedError(Enum):
    """The kinds of errors, by the names that the benchmark's records have."""

    BREAK_OUTSIDE_LOOP = "break_outside_loop"
    CONTINUE_OUTSIDE_LOOP = "continue_outside_loop"
    DIVIDE_BY_ZERO = "divide_by_zero"
    MODULO_ZERO = "modulo_zero"
    USE_BEFORE_DECLARATION = "var_use_before_declare"


VIOLATED: Mapping[PlantedError, Mapping[Formalism, int]] = MappingProxyType(
    {
        PlantedError.BREAK_OUTSIDE_LOOP: {Formalism.S: 73, Formalism.K: 34},
        PlantedError.CONTINUE_OUTSIDE_LOOP: {Formalism.S: 76, Formalism.K: 31},
        PlantedError.DIVIDE_BY_ZERO: {Formalism.S: 19, Formalism.K: 7},
        PlantedError.MODULO_ZERO: {Formalism.S: 23, Formalism.K: 9},
        PlantedError.USE_BEFORE_DECLARATION: {Formalism.S: 2, Formalism.K: 2},
    }
)
"""The rule that each kind of error violates."""
