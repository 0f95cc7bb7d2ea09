"""What variables of a Python program are called in C*: letters and digits only, and no word that C* reserves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from auditor.errors import InputError
from auditor.studies.prex.cstar.notation import RESERVED
from auditor.text import visible_line

_BUILT_IN = frozenset({"print", "range", "int", "input"})


class Names:
    """The names of one program: `given` holds those of its variables, `fresh` makes others."""

    def __init__(self, names: Iterable[str]) -> None:
        """Name every variable; raises InputError for one that cannot be written in ASCII."""
        self._taken: set[str] = set()
        wanted = [name for name in dict.fromkeys(names) if name not in _BUILT_IN]
        self.given: Mapping[str, str] = {name: self._free(_letters(name)) for name in wanted}

    def fresh(self, stem: str) -> str:
        """Return a name that no variable has."""
        return self._free(stem)

    def _free(self, stem: str) -> str:
        name, number = stem, 1
        while name in self._taken or name in RESERVED:
            number += 1
            name = f"{stem}{number}"
        self._taken.add(name)
        return name


def _letters(name: str) -> str:
    """Return `loop_count` as `loopCount`."""
    if not name.isascii():
        raise InputError(f"C* cannot express the name {visible_line(name, 30)}.")
    first, *others = [part for part in re.split("_+", name) if part] or ["v"]
    joined = first + "".join(part[0].upper() + part[1:] for part in others)
    return joined if joined[0].isalpha() else f"v{joined}"
