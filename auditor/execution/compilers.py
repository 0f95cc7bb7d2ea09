"""Which C++ compiler is there, and how it is called."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from auditor.execution.program import Limits

COMPILERS = ("g++", "clang++")
COMPILER_PLACES = "/usr/local/bin:/usr/bin:/bin"
"""Where compilers are looked for: what programs can see of the system."""
COMPILER_LIMITS = Limits(
    wall=60, cpu=30, memory=2 << 30, file_size=64 << 20, folder=256 << 20, tasks=32, forks=True, output=1 << 20
)


def compiler_arguments(options: Sequence[str] = ()) -> list[str] | None:
    """Return the command that compiles `program.cpp` into `program`; None when no compiler is installed."""
    for name in COMPILERS:
        found = shutil.which(name, path=COMPILER_PLACES)
        if found is not None:
            return [found, "-std=c++20", "-O2", "-pipe", *options, "-o", "program", "program.cpp"]
    return None
