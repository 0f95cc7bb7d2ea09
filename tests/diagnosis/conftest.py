"""A sandbox for all tests of a file; they are skipped where the system offers no wall."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from auditor.execution.protection import RefusedError
from auditor.execution.sandbox import Sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """Return a sandbox behind a wall."""
    try:
        made = Sandbox()
    except RefusedError as error:
        pytest.skip(f"untrusted programs cannot be contained here: {error}")
    with made:
        yield made
