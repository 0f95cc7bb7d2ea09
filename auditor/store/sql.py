"""A piece of SQL that is put together from others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL with its parameters."""

    text: str
    params: tuple[Any, ...] = ()
