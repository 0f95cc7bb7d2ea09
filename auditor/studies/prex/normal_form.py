"""The shape of a C* program: names and numbers taken out, so that two programs of one shape are seen to be alike."""

from __future__ import annotations

import re

from auditor.studies.prex.cstar.notation import RESERVED
from auditor.studies.prex.cstar.printing import print_program
from auditor.studies.prex.cstar.syntax_tree import Program

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*|[0-9]+")


def normal_form(program: Program) -> str:
    """Return the program with `v0`, `v1` … in the place of its names, as they come, and 0 in that of every number."""
    numbered: dict[str, str] = {}

    def shape(found: re.Match[str]) -> str:
        word = found.group()
        if word in RESERVED:
            return word
        return "0" if word.isdecimal() else numbered.setdefault(word, f"v{len(numbered)}")

    return _WORD.sub(shape, print_program(program))
