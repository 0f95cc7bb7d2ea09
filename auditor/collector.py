"""When Python looks for garbage in cycles: not while much is made of which hardly anything is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Keep the collector from walking, again and again, through what a start or an import of a file makes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def collect_from_now_on() -> None:
    """Let the collector work again, on what is made from now on: all that is there stays to the end."""
    gc.freeze()
    gc.enable()
