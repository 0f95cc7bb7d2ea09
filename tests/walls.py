"""Tests that run untrusted programs are skipped where the system offers no wall around them."""

from __future__ import annotations

import functools

import pytest

from auditor.execution.compilers import COMPILERS, compiler_arguments
from auditor.execution.cpp.tree import NoParserError, Tree
from auditor.execution.protection import RefusedError
from auditor.execution.sandbox import Sandbox


@functools.cache
def _why_not() -> str:
    try:
        with Sandbox():
            return ""
    except RefusedError as error:
        return str(error)


def need_wall() -> None:
    """Skip the test where programs cannot be contained."""
    if reason := _why_not():
        pytest.skip(f"untrusted programs cannot be contained here: {reason}")


def need_cpp() -> None:
    """Skip the test where no C++ program can be taken apart or compiled."""
    if compiler_arguments() is None:
        pytest.skip(f"C++ programs cannot be compiled here: neither {' nor '.join(COMPILERS)} is installed")
    try:
        Tree("int main() {}")
    except NoParserError as error:
        pytest.skip(str(error))
