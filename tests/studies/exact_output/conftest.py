"""A bench for all tests of a file; they are skipped where the system offers no wall."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from auditor.execution.protection import RefusedError
from auditor.studies.exact_output.building import BuildOptions, close_bench, open_bench
from auditor.studies.exact_output.checking import Bench


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """Return a bench behind a wall."""
    try:
        made = open_bench(BuildOptions())
    except RefusedError as error:
        pytest.skip(f"untrusted programs cannot be contained here: {error}")
    yield made
    close_bench(made)
