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
_MOST_TRIED = 40
"""Columns up to which it is tried which of them could be left out, a linear program each."""


def separated_columns(outcome: Floats, design: Floats, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a combination that separates the outcomes (0 and 1), completely or but for ties.

    None are returned where every column has a finite estimate; else none could be left out of those that are, unless
    there are very many. The design must have full rank. Found by linear programs (Konis 2007).
    """
    scale = np.abs(design).max(axis=0)
    signed = design / np.where(scale > 0, scale, 1) * (2 * outcome - 1)[:, None]
    rows, counts = np.unique(signed, axis=0, return_counts=True)
    kept = _separating(rows, counts, [*range(len(columns))])
    if len(kept) <= _MOST_TRIED:
        # The constant, which comes first, is the last to be left out.
        for at in reversed(kept):
            fewer = [one for one in kept if one != at]
            kept = fewer if fewer and _separating(rows, counts, fewer) else kept
    return tuple(columns[at] for at in kept)


def _separating(rows: Floats, counts: npt.NDArray[np.int64], among: list[int]) -> list[int]:
    """Return which of these columns have a part in a combination that separates; none where none does.

    It is the largest sum of (2y - 1) x b over the b within -1 and 1 for which no row's is negative.
    """
    from scipy.optimize import linprog

    own = rows[:, among]
    found = linprog(-(counts @ own), A_ub=-own, b_ub=np.zeros(len(own)), bounds=(-1, 1), method="highs")
    if found.x is None or -found.fun <= _SLACK * counts.sum():
        return []
    return [at for at, part in zip(among, found.x, strict=True) if abs(part) > _SLACK]
