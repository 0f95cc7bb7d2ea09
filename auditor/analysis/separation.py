"""Separation: whether some combination of predictors tells two outcomes apart, so that no estimate is finite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

_SLACK = 1e-7
"""What the solver may miss a bound by."""


def separated_columns(outcome: Floats, design: Floats, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a combination that separates the outcomes (0 and 1), completely or but for ties.

    None are returned where every column has a finite estimate. The design must have full rank. Found by a linear
    program (Konis 2007): the largest sum of (2y - 1) x b over the b within -1 and 1 for which no row's is negative.
    """
    from scipy.optimize import linprog

    scale = np.abs(design).max(axis=0)
    signed = design / np.where(scale > 0, scale, 1) * (2 * outcome - 1)[:, None]
    rows, counts = np.unique(signed, axis=0, return_counts=True)
    found = linprog(-(counts @ rows), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1), method="highs")
    if found.x is None or -found.fun <= _SLACK * len(outcome):
        return ()
    return tuple(name for name, part in zip(columns, found.x, strict=True) if abs(part) > _SLACK)
