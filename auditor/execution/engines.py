"""Which interpreter and compiler run programs, with their versions: results of another one are not taken for these."""

from __future__ import annotations

import functools
import platform
import subprocess

from auditor.execution.compilers import compiler_arguments
from auditor.execution.program import Language

NO_COMPILER = "no compiler"
_SECONDS = 20


@functools.cache
def engine_of(language: Language) -> str:
    """Return the name and version of what runs a language: `CPython 3.11.9`, `g++ (Debian 12.2.0-14) 12.2.0`.

    It is asked once. Without a C++ compiler it is NO_COMPILER.
    """
    if language == "python":
        return f"{platform.python_implementation()} {platform.python_version()}"
    command = compiler_arguments()
    if command is None:
        return NO_COMPILER
    try:
        told = subprocess.run([command[0], "--version"], capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return command[0]
    return told.stdout.decode(errors="replace").partition("\n")[0].strip()[:200] or command[0]
