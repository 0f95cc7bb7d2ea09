"""Why a task is not run."""

from __future__ import annotations

from typing import NamedTuple


class NotRunnable(NamedTuple):
    """Why a task is not run."""

    reason: str
